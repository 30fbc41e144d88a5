// The API reference: openapi.json as a page. All of its text stays text.

const add = (parent, name, text = "", attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return parent.appendChild(element);
};

const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);

/** Adds what a schema allows: names of types are links to them. */
function addType(parent, schema) {
  const alternatives = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (schema.$ref !== undefined) {
    add(parent, "a", nameOf(schema.$ref), { href: `#${nameOf(schema.$ref)}` });
  } else if (alternatives !== undefined) {
    alternatives.forEach((each, i) => {
      parent.append(i > 0 ? (schema.allOf ? " and " : " or ") : "");
      addType(parent, each);
    });
  } else if (schema.enum !== undefined || schema.const !== undefined) {
    add(parent, "code", (schema.enum ?? [schema.const]).map((value) => JSON.stringify(value)).join(" | "));
  } else if (schema.type === "array") {
    parent.append("array of ");
    addType(parent, schema.items ?? schema.prefixItems?.[0] ?? {});
  } else if (typeof schema.additionalProperties === "object") {
    parent.append("object of ");
    addType(parent, schema.additionalProperties);
  } else {
    parent.append([schema.type ?? (schema.properties ? "object" : "any value")].flat().join(" or "));
  }
}

function addMembers(parent, schema) {
  const parts = [schema, ...(schema.allOf ?? [])].filter((part) => part.properties !== undefined);
  const rows = parts.flatMap((part) => Object.entries(part.properties).map((row) => [...row, part]));
  if (rows.length === 0) {
    addType(add(parent, "p"), schema);
    return;
  }
  const table = add(add(parent, "div", "", { class: "wide" }), "table");
  for (const [name, member, part] of rows) {
    const row = add(table, "tr");
    add(add(row, "td"), "code", name);
    addType(add(row, "td"), member);
    const must = part.required?.includes(name) ? "Required. " : "";
    const otherwise = member.default === undefined ? "" : ` Default: ${JSON.stringify(member.default)}.`;
    add(row, "td", `${must}${member.description ?? ""}${otherwise}`);
  }
}

function addContent(parent, title, content) {
  for (const [type, { schema, example }] of Object.entries(content ?? {})) {
    const line = add(parent, "p", `${title}, ${type}: `);
    addType(line, schema ?? {});
    if (example !== undefined) {
      add(parent, "pre", typeof example === "string" ? example : JSON.stringify(example, null, 1));
    }
    if (schema?.properties !== undefined) {
      addMembers(parent, schema);
    }
  }
}

function addOperation(parent, method, path, operation, resolve) {
  const details = add(parent, "details", "", { id: operation.operationId });
  const summary = add(details, "summary");
  add(summary, "code", `${method.toUpperCase()} ${path}`);
  summary.append(` ${operation.summary ?? ""}`);
  if (operation.description !== undefined) {
    add(details, "p", operation.description);
  }
  const parameters = [...(api.paths[path].parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  if (parameters.length > 0) {
    const table = add(add(details, "div", "", { class: "wide" }), "table");
    for (const parameter of parameters) {
      const row = add(table, "tr");
      add(add(row, "td"), "code", parameter.name);
      add(row, "td", parameter.in);
      addType(add(row, "td"), parameter.schema ?? {});
      add(row, "td", parameter.description ?? "");
    }
  }
  addContent(details, "Body", resolve(operation.requestBody ?? {}).content);
  for (const [status, reference] of Object.entries(operation.responses)) {
    const response = resolve(reference);
    add(add(details, "p"), "strong", `${status} `).after(response.description ?? "");
    addContent(details, "Answer", response.content);
  }
}

const reply = await fetch("/openapi.json");
const api = await reply.json();
const resolve = (value) =>
  value.$ref === undefined ? value : value.$ref.slice(2).split("/").reduce((at, key) => at[key], api);
const operations = document.getElementById("operations");
operations.replaceChildren();
const tags = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (operation.operationId !== undefined) {
      const tag = operation.tags?.[0] ?? "other";
      tags.set(tag, [...(tags.get(tag) ?? []), [method, path, operation]]);
    }
  }
}
for (const [tag, rows] of tags) {
  add(operations, "h2", tag[0].toUpperCase() + tag.slice(1));
  for (const [method, path, operation] of rows) {
    addOperation(operations, method, path, operation, resolve);
  }
}
const schemas = document.getElementById("schemas");
for (const [name, schema] of Object.entries(api.components.schemas)) {
  const details = add(schemas, "details", "", { id: name });
  add(add(details, "summary"), "code", name);
  add(details, "p", schema.description ?? "");
  addMembers(details, schema);
}

/** Opens what the address names, and shows it. */
function show() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", show);
show();
