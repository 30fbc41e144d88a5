// Generates src/openapi.ts, the types of openapi.json, and src/tables.ts, the operations of openapi.json and the
// messages of gjkd.proto.
//   node generate.mjs [ROOT]     ROOT is gjkd's checkout
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(process.argv[2] ?? `${here}/../../..`);
const document = JSON.parse(readFileSync(`${root}/server/openapi.json`, "utf8"));
const NAMES = { watchSet: "watch", postTick: "tick" };
const LEFT_OUT = new Set(["root", "playground", "docs", "docsPage", "openStream", "headSet"]); // pages for people, and streams
const TYPES = { tick: "number" };

execFileSync("npx", ["--no-install", "openapi-typescript", `${root}/server/openapi.json`, "--output", "src/openapi.ts"],
  { cwd: here, stdio: ["ignore", "ignore", "inherit"] });

const proto = readFileSync(`${root}/proto/gjkd.proto`, "utf8").replace(/\/\/.*/g, "");
const messages = {};
for (const [, name, body] of proto.matchAll(/^message (\w+) \{([^]*?)\n\}/gm))
  messages[name] = [...body.matchAll(/(repeated )?(\w+) (\w+) = (\d+);/g)]
    .map(([, repeated, type, field, number]) => `    ${field}: [${number}, "${type}", ${Boolean(repeated)}],`);

const lower = name => name[0].toLowerCase() + name.slice(1);
const referred = schema => (schema?.anyOf ?? schema?.oneOf ?? (schema ? [schema] : [])).map(one => one.$ref?.split("/").pop());
const table = [];
const methods = [];
const seen = new Map();
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    const id = operation.operationId;
    if (!id || LEFT_OUT.has(id)) continue;
    const name = NAMES[id] ?? id.replace(/InSet$/, "");
    const given = [...path.matchAll(/\{(\w+)\}/g)].map(found => found[1]);
    const parameters = [...item.parameters ?? [], ...operation.parameters ?? []]
      .map(one => one.$ref ? document.components.parameters[one.$ref.split("/").pop()] : one);
    const query = parameters.filter(one => one.in === "query").map(one => one.name);
    const content = operation.requestBody?.content ?? {};
    const kind = Object.keys(content)[0];
    // Safe operations change nothing and may be sent twice.
    const safe = method === "get" || operation.tags.includes("queries");
    table.push(`  ${id}: ["${method.toUpperCase()}", "${path}", ${JSON.stringify(query)}, ${kind ? `"${kind}"` : "null"}, ${safe}],`);
    if (name === "watch") continue;
    const from = given.map(one => `${one}: ${TYPES[one] ?? "string"}, `).join("");
    const names = given.map(one => `${one}`).join(", ");
    const known = parameters.filter(one => one.in === "query").map(one => one.name).join(", ");
    const head = `  /** ${operation.summary}${known ? ` Of \`query\`: ${known}.` : ""} */\n`;
    const lines = kind?.endsWith("ndjson") || id === "importSets";
    const declared = [];
    if (kind) {
      const type = lines ? "string" : `B`;
      declared.push(`${name}${lines ? "" : `<const B extends Body<"${id}">>`}(${from}body: ${type}, options?: Options): Promise<Told<"${id}"${lines ? "" : ", B"}>>`);
    } else {
      if (method === "get" && parameters.some(one => one.name === "If-None-Match"))
        declared.push(`${name}(${from}options: Options & { ifNoneMatch: string }): Promise<Told<"${id}"> | null>`);
      if (id === "getSet") declared.push(`${name}(${from}options: Options & { query: { fields: "summary" } }): Promise<Schemas["Summary"] & Tagged>`);
      if (id === "getShape") declared.push(`${name}(${from}options: Options & { query: { fields: "pieces" } }): Promise<Schemas["Pieces"] & Tagged>`);
      declared.push(`${name}(${from}options?: Options): Promise<Told<"${id}">>`);
    }
    const entry = seen.get(name) ?? { head, declared: [], ids: [] };
    seen.set(name, entry);
    entry.declared.push(...declared);
    entry.ids.push(id);
    entry.body = Boolean(kind);
    const columns = content["application/x-protobuf"];
    referred(columns?.schema).forEach((message, i) => {
      const method = i === 0 ? `${name}Columns` : lower(message);
      const answer = message.replace(/Columns$/, "Answers");
      const told = messages[answer] ? `Promise<Read<"${answer}"> & Tagged>` : `Promise<Told<"${id}", { columns: unknown }>>`;
      methods.push(`  /** ${operation.summary} By the message ${message}. */
  ${method}(${from}columns: Columns<"${message}">, options?: Options): ${told} {
    return this.call("${id}", [${names}], { message: "${message}", columns${i ? ", named: true" : ""} }, options);
  }`);
    });
  }
}
for (const [name, { head, declared, ids, body }] of seen)
  methods.unshift(`${head}${declared.map(one => `  ${one};`).join("\n")}\n  ${name}(...given: any[]): any { return this.take(${JSON.stringify(ids)}, given, ${body}); }`);

writeFileSync(`${here}/src/tables.ts`, `// Written by generate.mjs: do not edit.
import type { Body, Columns, Options, Read, Schemas, Tagged, Told } from "./types.js";

/** Method, path, parameters of the URL, content type of the body, true if it may be sent twice. */
export const OPERATIONS = {
${table.join("\n")}
} as const;
export type Id = keyof typeof OPERATIONS;

/** Number, type, and true if repeated, of each field. */
export const MESSAGES = {
${Object.entries(messages).map(([name, fields]) => `  ${name}: {\n${fields.join("\n")}\n  },`).join("\n")}
} as const;

export abstract class Operations {
  protected abstract call(id: Id, path: (string | number)[], body: unknown, options?: Options): Promise<any>;
  protected abstract take(ids: Id[], given: unknown[], hasBody: boolean): Promise<any>;

${methods.join("\n\n")}
}
`);
