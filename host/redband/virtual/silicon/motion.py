"""What moves a badge: gravity, blows, the vibration motor; in milli-g on three axes.

Guarantee: profiles queue one after the other and never overlap. Plain integers; runs on
MicroPython and on the host. Does not know sensors: lis3dh.py does.
"""

REST_MG = (0, 0, 1000)
BLOW_STEPS = 8
LONG_AGO_US = -(1 << 60)

# The motor turns an eccentric about 190 times a second and runs on for a moment.
MOTOR_PERIOD_US = 5200
MOTOR_RUNDOWN_US = 60000
_SINE_PERCENT = (0, 71, 100, 71, 0, -71, -100, -71)
_HALF_SINE_PERCENT = (20, 56, 83, 98, 98, 83, 56, 20)


def blow_profile(peak_mg: int, duration_us: int, axis: int) -> list:
    """Return the profile of one blow: half a sine on axis 0 to 2, gravity beside it."""
    profile = []
    for step in range(BLOW_STEPS):
        point = list(REST_MG)
        point[axis] += peak_mg * _HALF_SINE_PERCENT[step] // 100
        profile.append((duration_us * step // BLOW_STEPS,) + tuple(point))
    profile.append((duration_us,) + REST_MG)
    return profile


class Motion:
    """The acceleration of one badge. `motor_mg`: what its motor adds, 0 if nothing."""

    def __init__(self, motor_mg: int) -> None:
        self.motor_mg = motor_mg
        self._points = [(LONG_AGO_US,) + REST_MG]  # (from this time on, x, y, z)
        self._is_motor_on = False
        self._motor_until_us = LONG_AGO_US

    def feed(self, profile, now_us: int) -> int:
        """Queue [(offset_us, x_mg, y_mg, z_mg)], each held until the next; return its end.

        Begins now, or when the profile before it has ended. The last point stays for good.
        """
        start_us = max(now_us, self._points[-1][0])
        for offset_us, x_mg, y_mg, z_mg in profile:
            self._points.append((start_us + offset_us, x_mg, y_mg, z_mg))
        return self._points[-1][0]

    def set_motor(self, is_on: bool, now_us: int) -> None:
        """Let the motor run, or run down."""
        if self._is_motor_on and not is_on:
            self._motor_until_us = now_us + MOTOR_RUNDOWN_US
        self._is_motor_on = is_on

    def is_calm(self, from_us: int) -> bool:
        """Return whether nothing changes from then on."""
        if self.motor_mg and (self._is_motor_on or from_us < self._motor_until_us):
            return False
        return len(self._points) == 1

    def mean_mg(self, at_us: int, window_us: int) -> list:
        """Return [x, y, z] averaged over the window before `at_us`; forgets what was before."""
        points = self._points
        start_us = at_us - window_us
        while len(points) > 1 and points[1][0] <= start_us:
            points.pop(0)
        sums = [0, 0, 0]
        for index in range(len(points) - 1, -1, -1):
            point = points[index]
            if point[0] < at_us:
                span_us = at_us - max(point[0], start_us)
                for axis in range(3):
                    sums[axis] += point[axis + 1] * span_us
                at_us = point[0]
        means = [total // window_us for total in sums]
        self._add_motor(means, start_us + window_us)
        return means

    def _add_motor(self, means: list, at_us: int) -> None:
        amplitude_mg = self.motor_mg
        if not self._is_motor_on:
            if at_us >= self._motor_until_us:
                return
            amplitude_mg >>= 1
        phase = at_us % MOTOR_PERIOD_US * 8 // MOTOR_PERIOD_US
        means[0] += amplitude_mg * _SINE_PERCENT[phase] // 100
        means[2] += amplitude_mg * _SINE_PERCENT[phase - 2] // 100
