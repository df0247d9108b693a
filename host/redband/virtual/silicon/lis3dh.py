"""ST LIS3DH, the accelerometer on the badge's I2C bus, register by register.

Problem: a driver that only ever met a kind sensor fails at the first real blow.
Guarantee: as the data sheet (DocID 17530) and AN3308 say: no sample before the turn-on time, one
per data period, averaged over the bandwidth of the mode, clipped, quantised, with offset and
noise; interrupt 1 with threshold, duration, latch and polarity; registers that are not modelled
read 0. Deaf while powered down. Plain integers; runs on MicroPython and on the host.
Does not model: FIFO, click, 6D, interrupt 2, data-ready on the pin, self-test, SPI, byte order;
bytes of one burst are of one sample even without BDU.
"""

WHO_AM_I = 0x0F
CTRL_REG1 = 0x20  # ODR, LPen, Zen, Yen, Xen
CTRL_REG2 = 0x21  # HPM, HPCF, FDS, HPCLICK, HPIS2, HPIS1
CTRL_REG3 = 0x22  # I1_IA1 is bit 6
CTRL_REG4 = 0x23  # BDU, BLE, FS, HR, ST, SIM
CTRL_REG5 = 0x24  # BOOT, FIFO_EN, -, -, LIR_INT1
CTRL_REG6 = 0x25  # H_LACTIVE is bit 1
REFERENCE = 0x26
STATUS = 0x27
OUT_X_L = 0x28
INT1_CFG = 0x30  # AOI, 6D, ZHIE, ZLIE, YHIE, YLIE, XHIE, XLIE
INT1_SRC = 0x31
INT1_THS = 0x32
INT1_DURATION = 0x33

IDENTITY = 0x33
_WRITABLE = (0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x30, 0x32, 0x33)
_REGISTERS = 0x40
_AUTO_INCREMENT = 0x80
_IA = 0x40
_LATCH = 0x08
_ACTIVE_LOW = 0x02
_DATA_READY = 0x0F
_OVERRUN = 0xF0

# Data periods in microseconds by CTRL_REG1 ODR; 0: none. 1.6 kHz exists in low power only.
_PERIODS_US = (0, 1000000, 100000, 40000, 20000, 10000, 5000, 2500, 0, 744)
_LOW_POWER_PERIODS_US = {8: 625, 9: 186}
# By full scale, 2 to 16 g. 16 g at 12 mg a digit is less than the whole word.
_MG_PER_DIGIT = (1, 2, 4, 12)
_MOST_DIGITS = (2047, 2047, 2047, 1365)
_THRESHOLD_MG = (16, 32, 62, 186)

_OFFSET_MG = (22, -14, 31)  # zero-g level: typically within 40 mg
_NOISE_MG = (0, 4, -3, 7, -6, 2, -1, 5, -7, 3, -4)
_LEAST_WAIT_US = 1000


class Lis3dh:
    """One sensor, moved as `motion` (motion.py) says.

    `clock_us()`: microseconds that never wrap; `on_int1(level)`: called when the pin changes.
    `fault`: an errno that every transfer fails with, or 0.
    """

    def __init__(self, motion, clock_us, on_int1=None) -> None:
        self.fault = 0
        self.int1 = 0
        self._clock_us = clock_us
        self._on_int1 = on_int1
        self._motion = motion
        self._registers = bytearray(_REGISTERS)
        self._registers[WHO_AM_I] = IDENTITY
        self._registers[CTRL_REG1] = 0x07
        self._pointer = 0
        self._noise = 0
        self._values_mg = [0, 0, 0]
        self._means = [0, 0, 0]  # of the high-pass filter, mg << 8
        self._digits = [0, 0, 0]  # of 12 bits
        self._source = 0
        self._lasting = 0  # samples that the condition has held for
        self._settling = 0  # samples until nothing changes at rest
        self._looked_us = 0
        self._period_us = 0
        self._next_us = None

    # The world.

    def feed(self, profile) -> int:
        """Queue [(offset_us, x_mg, y_mg, z_mg)], as `Motion.feed`; return when it ends."""
        now_us = self._clock_us()
        self.advance(now_us)
        self._stir()
        return self._motion.feed(profile, now_us)

    def set_motor(self, is_on: bool) -> None:
        """The vibration motor starts, or stops and runs down."""
        now_us = self._clock_us()
        self.advance(now_us)
        self._stir()
        self._motion.set_motor(is_on, now_us)

    # The bus.

    def receive(self, data) -> None:
        """Take the bytes of a write: the sub-address, then values."""
        self.advance(self._clock_us())
        for index in range(len(data)):
            if index:
                self._write(self._pointer & 0x7F, data[index])
                self._step_pointer()
            else:
                self._pointer = data[0]

    def transmit(self, count: int) -> bytes:
        """Return the bytes of a read from the sub-address on."""
        self.advance(self._clock_us())
        values = bytearray(count)
        for index in range(count):
            values[index] = self._read(self._pointer & 0x7F)
            self._step_pointer()
        return bytes(values)

    def _step_pointer(self) -> None:
        if self._pointer & _AUTO_INCREMENT:
            self._pointer = _AUTO_INCREMENT | (self._pointer + 1) & 0x7F

    def registers(self) -> bytes:
        """Return what a reset of the processor does not touch, for `restore`."""
        self._registers[INT1_SRC] = self._source
        return bytes(self._registers)

    def restore(self, registers) -> None:
        """Go on with the registers of before; the data starts anew."""
        self._registers[:] = registers
        self._source = self._registers[INT1_SRC]
        self._restart()
        self._stir()
        self._set_pin()

    def _write(self, register: int, value: int) -> None:
        if register not in _WRITABLE:
            return
        registers = self._registers
        if register == CTRL_REG5:
            value &= 0x7F  # BOOT clears itself
        is_new_mode = register in (CTRL_REG1, CTRL_REG4) and registers[register] != value
        registers[register] = value
        if is_new_mode:
            self._restart()
        if register == INT1_CFG:
            self._source = self._lasting = 0
        self._stir()
        self._set_pin()

    def _read(self, register: int) -> int:
        if register >= _REGISTERS:
            return 0
        if OUT_X_L <= register < OUT_X_L + 6:
            return self._read_output(register - OUT_X_L)
        if register == INT1_SRC:
            source = self._source
            if source and self._registers[CTRL_REG5] & _LATCH:
                self._source = 0
                self._stir()
                self._set_pin()
            return source
        if register == REFERENCE and not self._registers[CTRL_REG2] & 0xC0:
            self._reset_filter()
        return self._registers[register]

    def _read_output(self, index: int) -> int:
        axis = index >> 1
        word = self._digits[axis] << 4 & 0xFFFF
        if not index & 1:
            return word & 0xFF
        self._registers[STATUS] &= ~(0x11 << axis)
        if not self._registers[STATUS] & 0x07:
            self._registers[STATUS] = 0
        return word >> 8

    # Samples.

    def _is_low_power(self) -> bool:
        return bool(self._registers[CTRL_REG1] & 0x08)

    def _is_high_resolution(self) -> bool:
        return bool(self._registers[CTRL_REG4] & 0x08) and not self._is_low_power()

    def _restart(self) -> None:
        rate = self._registers[CTRL_REG1] >> 4
        self._period_us = _PERIODS_US[rate] if rate < len(_PERIODS_US) else 0
        turn_on_us = 1600
        if self._is_low_power():
            self._period_us = _LOW_POWER_PERIODS_US.get(rate, self._period_us)
            turn_on_us = 1000
        elif self._is_high_resolution():
            turn_on_us = 7 * self._period_us
        self._lasting = 0
        self._next_us = None
        if self._period_us:
            self._next_us = self._clock_us() + turn_on_us + self._period_us

    def _filter_shift(self) -> int:
        return 3 + (self._registers[CTRL_REG2] >> 4 & 3)  # cut-off about ODR / 50, 100, 200, 400

    def _reset_filter(self) -> None:
        self._means = [value_mg << 8 for value_mg in self._values_mg]

    def _stir(self) -> None:
        self._settling = 4 + (self._registers[INT1_DURATION] & 0x7F) + (8 << self._filter_shift())

    def _is_at_rest(self) -> bool:
        if self._settling or self._next_us is None:
            return False
        return self._motion.is_calm(self._next_us - (self._period_us << 2))

    def next_us(self) -> "int | None":
        """Return when the pin may change by itself, or None; at most once a millisecond."""
        if self._next_us is None or not self._registers[CTRL_REG3] & _IA or self._is_at_rest():
            return None
        if self._registers[CTRL_REG5] & _LATCH and self._source & _IA:
            return None  # until the program reads INT1_SRC
        return max(self._next_us, self._looked_us + _LEAST_WAIT_US)

    def advance(self, now_us: int) -> None:
        """Take all samples that are due; at rest only the newest of them is worked out."""
        self._looked_us = now_us
        while self._next_us is not None and self._next_us <= now_us:
            if self._is_at_rest():
                skipped = (now_us - self._next_us) // self._period_us
                self._next_us += skipped * self._period_us
                if skipped and self._registers[STATUS]:
                    self._registers[STATUS] |= _OVERRUN
            elif self._settling:
                self._settling -= 1
            self._sample(self._next_us)
            self._next_us += self._period_us

    def _sample(self, at_us: int) -> None:
        registers = self._registers
        filters = registers[CTRL_REG2]
        scale = registers[CTRL_REG4] >> 4 & 3
        judged_mg = [0, 0, 0]
        # The bandwidth is ODR / 2, in high resolution ODR / 9: short blows come out smaller.
        window_us = self._period_us << 2 if self._is_high_resolution() else self._period_us
        measured_mg = self._motion.mean_mg(at_us, window_us)
        for axis in range(3):
            self._noise = (self._noise + 1) % len(_NOISE_MG)
            value_mg = measured_mg[axis] + _OFFSET_MG[axis] + _NOISE_MG[self._noise]
            value_mg = self._clipped(value_mg, scale) * _MG_PER_DIGIT[scale]
            self._values_mg[axis] = value_mg
            passed_mg = self._passed_mg(axis, value_mg, scale)
            if registers[CTRL_REG1] & 1 << axis:
                self._digits[axis] = self._clipped(passed_mg if filters & 8 else value_mg, scale)
                judged_mg[axis] = passed_mg if filters & 1 else value_mg
            else:
                self._digits[axis] = 0
        registers[STATUS] |= _OVERRUN | _DATA_READY if registers[STATUS] & 7 else _DATA_READY
        self._judge(judged_mg, _THRESHOLD_MG[scale] * (registers[INT1_THS] & 0x7F))
        if filters >> 6 == 3 and self._source & _IA:
            self._reset_filter()

    def _passed_mg(self, axis: int, value_mg: int, scale: int) -> int:
        if self._registers[CTRL_REG2] >> 6 == 1:
            reference = self._registers[REFERENCE]
            reference -= (reference & 0x80) << 1
            return value_mg - reference * _THRESHOLD_MG[scale]
        self._means[axis] += ((value_mg << 8) - self._means[axis]) >> self._filter_shift()
        return value_mg - (self._means[axis] >> 8)

    def _clipped(self, value_mg: int, scale: int) -> int:
        most = _MOST_DIGITS[scale]
        digits = min(max(value_mg // _MG_PER_DIGIT[scale], -most - 1), most)
        if self._is_low_power():
            return digits & ~0x0F  # 8 bits
        return digits if self._is_high_resolution() else digits & ~0x03  # 10 bits

    def _judge(self, values_mg, threshold_mg: int) -> None:
        registers = self._registers
        config = registers[INT1_CFG]
        wanted = config & 0x3F
        found = 0
        for axis in range(3):
            size_mg = abs(values_mg[axis])
            if size_mg > threshold_mg:
                found |= 2 << 2 * axis
            elif size_mg < threshold_mg:
                found |= 1 << 2 * axis
        found &= wanted
        is_met = bool(found) and not config & 0x40 and (found == wanted or not config & 0x80)
        self._lasting = self._lasting + 1 if is_met else 0
        is_active = self._lasting > (registers[INT1_DURATION] & 0x7F)
        if not registers[CTRL_REG5] & _LATCH:
            self._source = found | _IA if is_active else found
        elif is_active and not self._source & _IA:
            self._source = found | _IA
        self._set_pin()

    def _set_pin(self) -> None:
        level = 1 if self._source & _IA and self._registers[CTRL_REG3] & _IA else 0
        if self._registers[CTRL_REG6] & _ACTIVE_LOW:
            level ^= 1
        if level != self.int1:
            self.int1 = level
            if self._on_int1 is not None:
                self._on_int1(level)
