"""JSON Schema as Python: compiled(schema) says whether a value that json has read is valid, as jsonschema
says of the same document, some hundred times as fast. Schemas are written as expressions, which Python
compiles; what has to loop is a function. It knows the keywords that the document uses and refuses
others; what is wrong with a value is left to jsonschema."""

import re
import threading

# They say nothing of whether a value is valid.
NOTES = {"description", "default", "readOnly", "title", "example", "examples", "format",
         "contentMediaType", "contentSchema", "discriminator", "deprecated"}

# The keywords that judge values of one type only, by that type. `{v}` is the value, `{w}` what the schema
# wants of it.
LIMITS = {
    "minimum": ("number", "{v} >= {w}"), "maximum": ("number", "{v} <= {w}"),
    "exclusiveMinimum": ("number", "{v} > {w}"),
    "minLength": ("string", "len({v}) >= {w}"), "maxLength": ("string", "len({v}) <= {w}"),
    "minItems": ("array", "len({v}) >= {w}"), "maxItems": ("array", "len({v}) <= {w}"),
    "maxProperties": ("object", "len({v}) <= {w}")}

# bool is a class of its own, and none of these.
TYPES = {
    "object": "{v}.__class__ is dict", "array": "{v}.__class__ is list",
    "string": "{v}.__class__ is str", "boolean": "{v}.__class__ is bool", "null": "{v} is None",
    "number": "({v}.__class__ is float or {v}.__class__ is int)",
    "integer": "({v}.__class__ is int or {v}.__class__ is float and {v}.is_integer())"}


def is_equal(one, other):
    """1 and true are equal in Python, and not in JSON."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def all_of(parts):
    return " and ".join(parts) if parts else "True"


class Compiler:
    """Of the schemas of one document; `resolve` finds what a reference stands for, `names_in` the
    members that a schema and its parts know."""

    def __init__(self, resolve, names_in):
        self.resolve, self.names_in = resolve, names_in
        self.names = {"is_equal": is_equal}  # what the expressions call by name
        self.by_reference, self.by_schema = {}, {}
        self.lock = threading.Lock()
        self.tables = []  # of functions, by their names until all of them are made

    def compiled(self, schema):
        """Schemas are kept, so that their addresses stay theirs. Threads may ask at once."""
        with self.lock:
            if id(schema) not in self.by_schema:
                function = self.function(schema)
                for table in self.tables:
                    table.update({key: self.names[name] for key, name in table.items()})
                self.tables.clear()
                self.by_schema[id(schema)] = (self.names[function], schema)
            return self.by_schema[id(schema)][0]

    def named(self, value):
        name = f"n{len(self.names)}"
        self.names[name] = value
        return name

    def function(self, schema, body="return {}", name=None):
        """The name of a function of v; its body has the schema's expression, of x where it loops."""
        name = name or self.named(None)
        exec(f"def {name}(v):\n    " + body.format(self.expression(schema, "x" if "x" in body else "v")), self.names)
        return name

    def for_each(self, schema, values="v"):
        return self.function(schema, f"for x in {values}:\n        if not ({{}}): return False\n    return True")

    def table(self, functions):
        self.tables.append(functions)
        return self.named(functions)

    def expression(self, schema, v):
        """True where the value called `v` is valid."""
        if isinstance(schema, bool):
            return str(schema)
        judges = {name.removeprefix("judge_") for name in dir(self)}
        assert set(schema) <= NOTES | LIMITS.keys() | judges | {"type", "$ref", "not"}, (
            f"a keyword that is not known in {sorted(schema)}")
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        parts = ["(" + " or ".join(TYPES[kind].format(v=v) for kind in kinds) + ")"] if kinds else []
        for keyword, wanted in schema.items():
            if keyword in LIMITS:
                kind, judge = LIMITS[keyword][0], LIMITS[keyword][1].format(v=v, w=repr(wanted))
            elif keyword == "$ref":
                kind, judge = None, f"{self.follow(wanted)}({v})"
            elif keyword == "not":
                kind, judge = None, f"not ({self.expression(wanted, v)})"
            elif keyword not in NOTES and keyword != "type":
                kind, judge = getattr(self, f"judge_{keyword}")(wanted, schema, v)
            else:
                continue
            is_known = kind is None or kinds == [kind] or kinds == ["integer"] and kind == "number"
            parts.append(judge if is_known else f"(not ({TYPES[kind].format(v=v)}) or {judge})")
        return all_of(parts)

    def follow(self, reference):
        """Schemas may refer to each other in circles."""
        if reference not in self.by_reference:
            self.by_reference[reference] = self.named(None)
            self.function(self.resolve(reference), name=self.by_reference[reference])
        return self.by_reference[reference]

    def judge_enum(self, wanted, _, v):
        if all(isinstance(one, str) for one in wanted):
            return None, f"({TYPES['string'].format(v=v)} and {v} in {self.named(frozenset(wanted))})"
        return None, f"any(is_equal({v}, one) for one in {self.named(wanted)})"

    def judge_const(self, wanted, _, v):
        return None, f"is_equal({v}, {self.named(wanted)})"

    def judge_pattern(self, wanted, _, v):
        return "string", f"{self.named(re.compile(wanted).search)}({v}) is not None"

    def judge_prefixItems(self, wanted, _, v):
        inner = [f"{self.function(part)}({v}[{i}])" for i, part in enumerate(wanted)]
        return "array", "(" + all_of([f"(len({v}) <= {i} or {judge})" for i, judge in enumerate(inner)]) + ")"

    def judge_items(self, wanted, _, v):
        return "array", f"{self.for_each(wanted)}({v})"

    def judge_required(self, wanted, _, v):
        return "object", "(" + all_of([f"{name!r} in {v}" for name in wanted]) + ")"

    def judge_dependentRequired(self, wanted, _, v):
        return "object", "(" + all_of([f"({name!r} not in {v} or {other!r} in {v})"
                                       for name, others in wanted.items() for other in others]) + ")"

    def judge_properties(self, wanted, _, v):
        table = self.table({name: self.function(schema) for name, schema in wanted.items()})
        judge = self.function(True, f"for n, x in v.items():\n        judge = {table}.get(n)\n"
                                    "        if judge is not None and not judge(x): return False\n    return {}")
        return "object", f"{judge}({v})"

    def judge_additionalProperties(self, wanted, schema, v):
        known = self.named(frozenset(schema.get("properties", {})))
        return "object", f"{self.for_each(wanted, f'[x for n, x in v.items() if n not in {known}]')}({v})"

    def judge_unevaluatedProperties(self, wanted, schema, v):
        assert wanted is False
        return "object", f"{v}.keys() <= {self.named(frozenset(self.names_in(schema)))}"

    def judge_propertyNames(self, wanted, _, v):
        return "object", f"{self.for_each(wanted)}({v})"

    def judge_allOf(self, wanted, _, v):
        return None, "(" + all_of([f"({self.expression(part, v)})" for part in wanted]) + ")"

    def judge_anyOf(self, wanted, _, v):
        return None, "(" + " or ".join(f"({self.expression(part, v)})" for part in wanted) + ")"

    def judge_oneOf(self, wanted, schema, v):
        told = schema.get("discriminator")
        if told is None:
            return None, "(" + " + ".join(f"bool({self.expression(part, v)})" for part in wanted) + " == 1)"
        table = self.table({key: self.follow(reference) for key, reference in told["mapping"].items()})
        value = f"{v}.get({told['propertyName']!r})"
        return None, (f"({TYPES['object'].format(v=v)} and {value}.__class__ is str"
                      f" and {value} in {table} and {table}[{value}]({v}))")
