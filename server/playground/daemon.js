// Calls to the daemon over one stream, so that a refused question is an answer and no line in the
// browser's console; and the events of a set.

const CLOSED_BY_TOKEN = 1008;
const listeners = new Set();
let token = sessionStorage.getItem("gjkd-token") || "";
let socket = null, opening = null, number = 0;
const waiting = new Map(), watching = new Map();

/** What went wrong: `word` is deleted, unknown, forbidden, unauthenticated, refused or unreachable. */
export class Problem extends Error {
  /** @param {string} word @param {any} problem */
  constructor(word, problem) {
    const pointer = problem.errors?.[0]?.pointer;
    super(pointer ? `${pointer.slice(1).replaceAll("/", " ")}: ${problem.detail}` : problem.detail);
    this.word = word;
    this.status = problem.status;
    this.code = problem.code;
    this.hint = problem.hint;
  }
}

const WORDS = { 401: "unauthenticated", 403: "forbidden", 404: "unknown" };

/** @param {() => void} heard is called when the daemon asks for a token */
export function onTokenNeeded(heard) { listeners.add(heard); }

/** @param {string} text */
export function setToken(text) {
  token = text;
  sessionStorage.setItem("gjkd-token", text);
  socket?.close();
  socket = opening = null;
}
export const hasToken = () => token !== "";

function fail(word, status, detail) {
  const problem = new Problem(word, { status, detail, code: word });
  if (status === 401) for (const heard of listeners) heard();
  for (const { reject } of waiting.values()) reject(problem);
  waiting.clear();
}

/** @returns {Promise<WebSocket>} */
function open() {
  if (opening) return opening;
  opening = new Promise((resolve, reject) => {
    const made = new WebSocket(`ws${location.protocol.slice(4)}//${location.host}/v1/stream`, "gjkd.v1");
    let isOpen = false;
    made.onopen = () => {
      isOpen = true;
      socket = made;
      if (token) made.send(JSON.stringify({ authorization: `Bearer ${token}` }));
      resolve(made);
    };
    made.onmessage = ({ data }) => take(JSON.parse(data));
    made.onclose = ({ code, reason }) => {
      if (socket !== made && isOpen) return;
      socket = opening = null;
      const lost = [...watching.values()];
      watching.clear();
      if (code === CLOSED_BY_TOKEN) fail("unauthenticated", 401, reason || "the daemon wants a token");
      else fail("unreachable", 0, "the daemon does not answer");
      if (!isOpen) reject(new Problem("unreachable", { status: 0, detail: "the daemon does not answer" }));
      for (const watch of lost) watch.lost(code === CLOSED_BY_TOKEN);
    };
  });
  return opening;
}

function take(message) {
  if (message.event) { watching.get(message.id)?.heard(message.event); return; }
  const call = waiting.get(message.id);
  if (call) {
    waiting.delete(message.id);
    call.resolve(message);
  } else if (message.status >= 400) {
    const watch = watching.get(message.id);
    watching.delete(message.id);
    watch?.lost(true);
  }
}

async function send(message) {
  const stream = await open();
  return new Promise((resolve, reject) => {
    waiting.set(message.id, { resolve, reject });
    stream.send(JSON.stringify(message));
  });
}

function check(answer) {
  if (answer.status < 400) return answer;
  if (answer.status === 401) for (const heard of listeners) heard();
  if (answer.status === 403) for (const heard of listeners) heard();
  const problem = answer.body && typeof answer.body === "object" ? answer.body : { detail: "refused" };
  throw new Problem(WORDS[answer.status] || "refused", { status: answer.status, ...problem });
}

/** @param {string} method @param {string} path @param {any} [body] @param {any} [headers] @returns {Promise<any>} the body of the answer */
export async function call(method, path, body, headers) {
  return check(await send({ id: ++number, method, path, body, headers })).body;
}

/** Follows a set's events until the function that it returns is called.
 * @param {string} path @param {(event: any) => void} heard @param {(isFinal: boolean) => void} lost is called when the stream has ended */
export async function watch(path, heard, lost) {
  const id = ++number;
  watching.set(id, { heard, lost });
  try {
    check(await send({ id, method: "WATCH", path }));
  } catch (problem) {
    watching.delete(id);
    throw problem;
  }
  return () => {
    if (!watching.delete(id) || !socket) return;
    waiting.set(id, { resolve: () => {}, reject: () => {} });
    socket.send(JSON.stringify({ id, method: "UNWATCH" }));
  };
}
