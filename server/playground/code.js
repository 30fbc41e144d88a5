// The question on the page as something to run: curl, TypeScript, Python.
import { hasToken } from "./daemon.js";

/** @typedef {{op: string, set: string | null, body: any}} Question */

const host = () => location.origin;
const pathOf = ({ op, set }) => (set === null ? `/v1/${op}` : `/v1/sets/${encodeURIComponent(set)}/${op}`);

/** Compact, with spaces. @param {any} value */
export function compact(value) {
  if (Array.isArray(value)) return `[${value.map(compact).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).filter(([, member]) => member !== undefined).map(([name, member]) => `${JSON.stringify(name)}: ${compact(member)}`).join(", ")}}`;
  return JSON.stringify(value);
}

/** @param {any} value */
function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${python(member)}`).join(", ")}}`;
  return value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value);
}

/** @param {Question} question */
export function asCurl(question) {
  const token = hasToken() ? ` -H "Authorization: Bearer $GJKD_TOKEN"` : "";
  return `curl -s${token} ${host()}${pathOf(question)} --json '${compact(question.body).replaceAll("'", "'\\''")}'\n`;
}

/** @param {Question} question */
export function asTypeScript({ op, set, body }) {
  const token = hasToken() ? ", { token: process.env.GJKD_TOKEN }" : "";
  const members = Object.entries(body).map(([name, value]) => `  ${name}: ${compact(value)},\n`).join("");
  return `import { Client } from "@gjkd/client";\n\nconst k = new Client(${JSON.stringify(host())}${token});\n` +
    `const answer = await k.${op}(${set === null ? "" : `${JSON.stringify(set)}, `}{\n${members}});\nconsole.log(answer);\n`;
}

/** @param {Question} question */
export function asPython({ op, set, body }) {
  const token = hasToken() ? ', token=os.environ["GJKD_TOKEN"]' : "";
  const members = Object.entries(body).map(([name, value]) => `    ${name}=${python(value)},\n`).join("");
  return `${hasToken() ? "import os\n\n" : ""}import gjkd\n\nk = gjkd.Client(${JSON.stringify(host())}${token})\n` +
    `answer = k.${op}(\n${set === null ? "" : `    ${python(set)},\n`}${members})\nprint(answer)\n`;
}

/** Wires the three buttons of a panel. @param {HTMLElement} root @param {() => Question | null} question */
export function wireCopies(root, question) {
  const shown = root.querySelector(".code"), told = root.querySelector(".copied");
  let form = null;
  const show = () => {
    const asked = question();
    shown.textContent = asked ? (form || asCurl)(asked) : "";
  };
  for (const [name, make] of [["curl", asCurl], ["typescript", asTypeScript], ["python", asPython]]) {
    root.querySelector(`.copy-${name}`).addEventListener("click", async () => {
      form = make;
      show();
      try {
        await navigator.clipboard.writeText(shown.textContent);
        told.textContent = "Copied.";
      } catch { // a page that is not secure may not write there: the text is selected instead
        getSelection().selectAllChildren(shown);
        told.textContent = "Selected: copy it.";
      }
    });
  }
  return show;
}
