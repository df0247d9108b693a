// The game master's page as one component: it holds what the host told it (redband.tent.changes),
// counts timers and ages on by itself, and reports clicks. It decides nothing about the game.
import { reactive } from "vue";

const PIPS_MAX = 12; // more hits than this are only written as a number
const LOG_MAX = 100; // lines kept on the page; redband.tent.board sends as many at first
const TICK_MS = 250; // a shown second is never late by more than this
const BATTERY_LOW_PCT = 20;
const ARMED_MS = 4000; // how long a word to all badges waits for its second press

const clock = reactive({ now_ms: performance.now() });

const two = (n) => String(n).padStart(2, "0");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const minutes = (s) => (s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}`
  : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`);

function remember(key, value) {
  try { localStorage.setItem(key, value); } catch (e) { /* private window: forget it */ }
}
function recall(key) {
  try { return localStorage.getItem(key); } catch (e) { return null; }
}

const Lamp = {
  props: { color: String, pattern: String },
  template: `<span :class="['lamp', 'lamp-' + color, pattern]"><i class="lit"></i></span>`,
};

// Only this small component is drawn again when a second passes, not the whole card.
const Countdown = {
  props: { row: Object },
  computed: {
    left_s() {
      if (!this.row.is_running) return this.row.timer_s;
      return Math.max(0, Math.ceil(this.row.timer_s - (clock.now_ms - this.row.at_ms) / 1000));
    },
    text() { return minutes(this.left_s); },
  },
  template: `<span class="countdown" role="timer">{{ text }}</span>`,
};

const Age = {
  props: { row: Object, words: Object },
  computed: {
    text() {
      const w = this.words, row = this.row;
      if (row.is_fresh) return w.seen_now;
      if (row.age_s === null) return w.seen_never;
      const s = Math.floor(row.age_s + Math.max(0, clock.now_ms - row.at_ms) / 1000);
      const age = s < 120 ? `${s} ${w.sec}` : s < 7200 ? `${Math.floor(s / 60)} ${w.min}`
        : `${Math.floor(s / 3600)} ${w.hour}`;
      return w.seen_ago.replace("{}", age);
    },
  },
  template: `<span :class="['age', row.is_fresh ? 'is-fresh' : 'is-old']">{{ text }}</span>`,
};

const BadgeCard = {
  components: { Lamp, Countdown, Age },
  props: { row: Object, words: Object, lang: Number, has_controls: Boolean },
  emits: ["act"],
  computed: {
    state() { return capital(this.row.state[this.lang]); },
    event() { return capital(this.row.event[this.lang] || this.words.no_event); },
    is_off() { return this.row.is_powered === false; },
    pips() {
      const { hits, max_hits } = this.row;
      if (hits === null || !max_hits || max_hits > PIPS_MAX) return [];
      return Array.from({ length: max_hits }, (_, i) => i < hits);
    },
    hits_text() {
      const { hits, max_hits } = this.row;
      const number = `${hits === null ? "?" : hits}${max_hits ? " / " + max_hits : ""}`;
      return this.pips.length ? number : `${this.words.hits}: ${number}`;
    },
    lights() {
      const w = this.words, name = (c) => w[c.slice(4)];
      if (this.is_off) return w.no_power;
      const lit = ["red", "green"].flatMap((color, i) => {
        const pattern = this.row.lamps[i];
        return pattern && pattern !== "led-off" ? [`${w[color]}: ${name(pattern)}`] : [];
      });
      if (this.vibrates) lit.push(w.vibration);
      return lit.length ? lit.join(" · ") : w.dark;
    },
    vibrates() { return !this.is_off && this.row.lamps[2] && this.row.lamps[2] !== "led-off"; },
    actions() { return this.is_off ? ["restore"] : ["press", "shake", "hold", "pull"]; },
    is_low() { return this.row.battery_pct !== null && this.row.battery_pct < BATTERY_LOW_PCT; },
  },
  template: `
    <article :class="['card', { 'is-off': is_off, 'is-stale': !row.is_fresh }]"
             :data-badge="row.id" :aria-label="row.player + ', ' + state">
      <Lamp class="armband" color="red" :pattern="row.lamps[0]" aria-hidden="true" />
      <div class="face" :class="{ 'is-shaking': vibrates }" role="img" :aria-label="lights"
           :title="lights">
        <Lamp color="red" :pattern="row.lamps[0]" /><Lamp color="green" :pattern="row.lamps[1]" />
      </div>
      <h2 class="who"><span class="number">{{ row.id }}</span>{{ row.player }}</h2>
      <div class="state">{{ state }}</div>
      <div class="timer" v-if="row.timer_s !== null" :class="{ 'is-frozen': !row.is_running }"
           :title="words.timer">
        <Countdown :row="row" /><span class="timer-for">{{ row.timer[lang] }}</span>
      </div>
      <div class="hits">
        <span class="visually-hidden" v-if="pips.length">{{ words.hits }}</span>
        <span class="pips" aria-hidden="true" v-if="pips.length">
          <i v-for="(left, i) in pips" :key="i" :class="['pip', { 'is-left': left }]"></i>
        </span>
        <span class="hits-text" :title="words.hits">{{ hits_text }}</span>
        <span class="lights">{{ lights }}</span>
      </div>
      <div class="event" :title="words.last_event">{{ event }}</div>
      <div class="facts">
        <Age :row="row" :words="words" />
        <span v-if="row.battery_pct !== null" :class="['battery', { 'is-low': is_low }]"
              :title="words.battery">
          <i class="cell" aria-hidden="true"><b :style="{ width: row.battery_pct + '%' }"></b></i>
          <span class="visually-hidden">{{ words.battery }}</span>{{ row.battery_pct }} %
        </span>
        <span v-if="row.unsynced" class="unsynced" :title="words.unsynced_help">{{
          words.unsynced.replace("{}", row.unsynced) }}</span>
        <span v-else class="synced" :title="words.synced_help">{{
          words.synced.replace("{}", row.synced) }}</span>
        <span v-if="row.restarts" class="restarts" :title="row.causes[lang]">{{
          words.restarts.replace("{}", row.restarts) }}</span>
        <span v-if="row.lost_records" class="lost-records" :title="words.lost_records_help">{{
          words.lost_records.replace("{}", row.lost_records) }}</span>
      </div>
      <div class="warnings" v-if="row.flags.length || row.problem || row.is_paused
                                  || row.timer_restarts || row.is_emergency">
        <strong class="warning is-emergency" role="alert" v-if="row.is_emergency">{{
          words.emergency }}</strong>
        <span class="warning is-pause" v-if="row.is_paused">{{ words.paused }}</span>
        <span class="warning timer-restarts" v-if="row.timer_restarts" :title="row.causes[lang]">{{
          words.timer_restarts.replace("{}", row.timer_restarts) }}</span>
        <span class="warning" v-for="bit in row.flags" :key="bit">{{ words["flag_" + bit] }}</span>
        <span class="warning" v-if="row.problem">{{ row.problem }}</span>
      </div>
      <div class="actions" v-if="has_controls">
        <button v-for="action in actions" :key="action" type="button"
                :class="['action', 'do-' + action]" :title="words[action + '_help']"
                :aria-label="words[action] + ': ' + row.player"
                @click="$emit('act', { action, badge_id: row.id })">
          <i v-if="action === 'pull' || action === 'restore'" class="cell"
             aria-hidden="true"><b></b></i>
          {{ words[action + "_short"] || words[action] }}</button>
      </div>
    </article>`,
};

const EventLog = {
  props: { lines: Array, words: Object, lang: Number },
  methods: {
    time(s) {
      if (s === null) return "?";
      const t = new Date(s * 1000);
      return `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
    },
  },
  template: `
    <section class="log" id="log" tabindex="-1" :aria-label="words.log">
      <h2>{{ words.log }}</h2>
      <p class="empty" v-if="!lines.length">{{ words.log_empty }}</p>
      <ol role="log">
        <li v-for="line in lines" :key="line.key">
          <time :title="line.time_s === null ? words.time_unknown : null">{{
            time(line.time_s) }}</time>
          <span class="number">{{ line.id }}</span>
          <span class="log-what"><b>{{ line.player }}</b> {{ line.text[lang] }}</span>
        </li>
      </ol>
    </section>`,
};

export default {
  components: { BadgeCard, EventLog, Lamp },
  props: {
    words: Object, language: String, languages: Array, game_name: String, has_controls: Boolean,
    broadcasts: Array,
  },
  emits: ["act", "say"],
  data: () => ({
    armed: null,
    by_id: {}, order: [], lines: [], has_data: false, link: "wait", chosen: null, is_day: false,
  }),
  created() {
    this.line_count = 0;
    document.documentElement.lang = this.language;
    document.cookie = `redband_lang=${this.language}; path=/; max-age=31536000; SameSite=Lax`;
    this.setDay(recall("redband_theme") === "day");
  },
  mounted() {
    this.ticker = setInterval(() => this.tick(), TICK_MS);
    this.tick();
  },
  unmounted() { clearInterval(this.ticker); },
  computed: {
    lang() { return this.language === "ru" ? 1 : 0; },
    rows() { return this.order.map((id) => this.by_id[id]); },
    groups() {
      const found = new Map();
      for (const row of this.rows) {
        const key = row.state[0];
        const title = capital(row.state[this.lang]);
        if (!found.has(key)) found.set(key, { key, title, row, count: 0 });
        found.get(key).count += 1;
      }
      // What the badge itself calls for most loudly comes first, in an order that does not jump.
      const lit = (pattern) => pattern !== "" && pattern !== "led-off";
      const rank = ({ row }) => (lit(row.signal[2]) ? 0 : lit(row.signal[0]) ? 1 : 2);
      return [...found.values()].sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
    },
    filter() { return this.groups.some((g) => g.key === this.chosen) ? this.chosen : null; },
    calm() { return this.shown.filter((r) => !r.is_emergency); },
    shown() { return this.rows.filter((r) => this.filter === null || r.state[0] === this.filter); },
    hurt() { return this.rows.filter((r) => r.is_emergency); },
    heard() { return this.rows.filter((r) => r.is_fresh && r.is_powered !== false).length; },
    to_sync() { return this.rows.reduce((sum, r) => sum + r.unsynced, 0); },
  },
  methods: {
    // Called by the host with what changed; see Changes.update for the keys.
    update(changes) {
      clock.now_ms = performance.now();
      for (const row of changes.rows || []) {
        this.by_id[row.id] = Object.freeze({ ...row, at_ms: clock.now_ms });
      }
      if (changes.order) {
        this.order = changes.order;
        for (const id of Object.keys(this.by_id)) {
          if (!changes.order.includes(Number(id))) delete this.by_id[id];
        }
      }
      const keyed = (lines) => [...lines].reverse()
        .map((line) => Object.freeze({ ...line, key: ++this.line_count })).reverse();
      if (changes.log) this.lines = keyed(changes.log);
      if (changes.lines) this.lines = [...keyed(changes.lines), ...this.lines].slice(0, LOG_MAX);
      this.has_data = true;
    },
    tick() {
      clock.now_ms = performance.now();
      const is_live = Boolean(window.did_handshake && window.socket && window.socket.connected);
      this.link = is_live ? "live" : this.has_data ? "lost" : "wait";
    },
    setDay(is_day) {
      this.is_day = is_day;
      document.documentElement.dataset.theme = is_day ? "day" : "night";
    },
    toggleTheme() {
      this.setDay(!this.is_day);
      remember("redband_theme", this.is_day ? "day" : "night");
    },
    // Everybody's game: one press arms, the second one within ARMED_MS says it.
    say(word) {
      clearTimeout(this.disarm);
      if (this.armed === word) {
        this.armed = null;
        this.$emit("say", word);
        return;
      }
      this.armed = word;
      this.disarm = setTimeout(() => { this.armed = null; }, ARMED_MS);
    },
    choose(key) { this.chosen = this.filter === key ? null : key; },
  },
  template: `
    <div class="redband" :class="'link-' + link">
      <a class="skip" href="#log">{{ words.skip_log }}</a>
      <div class="alarm" role="alert" v-if="hurt.length"><strong>{{ words.emergency }}</strong>
        <span v-for="row in hurt" :key="row.id" class="alarm-who"><span class="number">{{
          row.id }}</span>{{ row.player }}</span></div>
      <header class="top">
        <div class="brand"><i class="mark" aria-hidden="true"></i>
          <div><h1>{{ game_name }}</h1><p>{{ words.subtitle }}</p></div></div>
        <div class="status">
          <span class="link" role="status"><i aria-hidden="true"></i>{{
            words["link_" + link] }}</span>
          <span class="heard"><b>{{ heard }}</b> / {{ rows.length }} {{ words.heard }}</span>
          <span class="sync">{{ to_sync ? to_sync + " " + words.to_sync : words.all_synced }}</span>
        </div>
        <nav class="tools">
          <span class="languages" role="group" :aria-label="words.language">
            <a v-for="l in languages" :key="l" :href="'?lang=' + l" :lang="l" :hreflang="l"
               :aria-current="l === language ? 'true' : null">{{ l === "ru" ? "РУ" : "EN" }}</a>
          </span>
          <button type="button" class="theme" @click="toggleTheme" :title="words.theme"
                  :aria-label="words.theme" :aria-pressed="String(is_day)"></button>
        </nav>
        <div class="broadcast" role="group" :aria-label="words.all_badges" v-if="broadcasts.length">
          <button type="button" v-for="word in broadcasts" :key="word"
                  :class="['action', 'say-' + word, { 'is-armed': armed === word }]"
                  :title="words[word + '_help']" @click="say(word)">{{
            armed === word ? words.sure.replace("{}", words[word]) : words[word] }}</button>
        </div>
        <div class="groups" role="group" v-if="groups.length">
          <button type="button" class="group" :aria-pressed="String(filter === null)"
                  @click="chosen = null"><b>{{ rows.length }}</b>{{ words.all }}</button>
          <button type="button" class="group" v-for="g in groups" :key="g.key"
                  :data-state="g.key" :aria-pressed="String(filter === g.key)"
                  @click="choose(g.key)">
            <span class="face face-small" aria-hidden="true">
              <Lamp color="red" :pattern="g.row.signal[0]" />
              <Lamp color="green" :pattern="g.row.signal[1]" /></span>
            <b>{{ g.count }}</b>{{ g.title }}</button>
        </div>
      </header>
      <div class="field">
        <section class="badges" :aria-label="words.badges">
          <p class="empty" v-if="has_data && !rows.length">{{ words.no_badges }}</p>
          <BadgeCard v-for="row in [...hurt, ...calm]" :key="row.id" :row="row" :words="words" :lang="lang"
                     :has_controls="has_controls" @act="(what) => $emit('act', what)" />
        </section>
        <EventLog :lines="lines" :words="words" :lang="lang" />
      </div>
    </div>`,
};
