"""Integer expressions of a ruleset: a tiny stack code, checked once and then evaluated.

Problem: guards, durations and effects are formulas over what the engine knows, and the badge must
not carry a parser. The host compiles formulas to bytes; this module runs them.
Guarantee: code that `expression_reader.check` accepts always ends, never fails and gives the same
int on MicroPython and CPython: no floats, division by zero gives 0, a truth value is 0 or 1.
It does not know names, nor what a slot means: that is the ruleset's business.

Code: a byte below FIRST_OPERATOR pushes the value of that slot; the others are operators.
A place for an expression is three bytes: two slots and their operator; a slot, 0, 0; the offset
of a longer code, which END closes, and LONG; or 0, 0, NONE, which gives 0.
"""

FIRST_OPERATOR = 0xC0
STACK_LIMIT = 16  # deeper formulas are unreadable long before they are a problem

# Operators with two operands.
ADD = 0xC0
SUB = 0xC1
MUL = 0xC2
DIV = 0xC3  # floor division; by zero: 0
MOD = 0xC4  # sign of the divisor; by zero: 0
EQ = 0xC5
NE = 0xC6
LT = 0xC7
LE = 0xC8
GT = 0xC9
GE = 0xCA
AND = 0xCB
OR = 0xCC
MIN = 0xCD
MAX = 0xCE
# Operators with one operand.
NEG = 0xD0
NOT = 0xD1
ABS = 0xD2
LEFT = 0xD3  # ms left of the timer of the track with that number, 0 when there is none
# With three: condition, value if true, value if not.
SELECT = 0xD8
# No operators: see above.
LONG = 0xFD
NONE = 0xFE
END = 0xFF


def evaluate(program, at, values, timer_left):
    """Return the int value of the expression at offset `at` of `program`. Never raises.

    values: list of all slots. timer_left: function track number -> ms left, -1 for none.
    """
    operator = program[at + 2]
    if operator >= LONG:
        if operator == NONE:
            return 0
        return _run(program, program[at] | program[at + 1] << 8, values, timer_left)
    a = values[program[at]]
    if operator < FIRST_OPERATOR:
        return a
    b = values[program[at + 1]]
    if operator == EQ:
        return 1 if a == b else 0
    if operator == GT:
        return 1 if a > b else 0
    if operator == SUB:
        return a - b
    if operator == ADD:
        return a + b
    return _binary(operator, a, b)


def _run(program, at, values, timer_left):
    stack = []
    byte = program[at]
    while byte != END:
        if byte < FIRST_OPERATOR:
            stack.append(values[byte])
        elif byte <= MAX:
            right = stack.pop()
            stack[-1] = _binary(byte, stack[-1], right)
        elif byte == SELECT:
            otherwise = stack.pop()
            value = stack.pop()
            stack[-1] = value if stack[-1] else otherwise
        elif byte == NOT:
            stack[-1] = 0 if stack[-1] else 1
        elif byte == NEG:
            stack[-1] = -stack[-1]
        elif byte == ABS:
            stack[-1] = abs(stack[-1])
        else:
            stack[-1] = max(timer_left(stack[-1]), 0)
        at += 1
        byte = program[at]
    return stack[0]


def _binary(operator, left, right):
    if operator <= MOD:
        return _arithmetic(operator, left, right)
    if operator == MIN:
        return left if left < right else right
    if operator == MAX:
        return left if left > right else right
    if operator == EQ:
        is_true = left == right
    elif operator == NE:
        is_true = left != right
    elif operator == LT:
        is_true = left < right
    elif operator == LE:
        is_true = left <= right
    elif operator == GT:
        is_true = left > right
    elif operator == GE:
        is_true = left >= right
    elif operator == AND:
        is_true = left and right
    else:
        is_true = left or right
    return 1 if is_true else 0


def _arithmetic(operator, left, right):
    if operator == ADD:
        return left + right
    if operator == SUB:
        return left - right
    if operator == MUL:
        return left * right
    if right == 0:
        return 0  # a total engine has no division error; see docs/rules.md
    return left // right if operator == DIV else left % right
