/**
 * Encodes and decodes messages of gjkd.proto (Protocol Buffers, version 3) by their table. Columns of doubles are copied
 * into a message byte by byte; decoded ones are views of it if they are aligned. Assumes a little-endian machine.
 */
import { MESSAGES } from "./tables.js";

type Field = readonly [number: number, type: string, repeated: boolean];
type Value = any;
const VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;
const ARRAYS: Record<string, typeof Float64Array | typeof Float32Array> = { double: Float64Array, float: Float32Array };
const VARINTS = new Set(["uint32", "uint64", "bool"]);
const text = new TextEncoder(), read = new TextDecoder();

class Writer {
  private bytes = new Uint8Array(256);
  private length = 0;

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
  varint(value: number): void {
    if (!(value >= 0 && Number.isInteger(value))) throw new RangeError(`${value} is no unsigned integer`);
    this.reserve(10);
    while (value > 127) {
      this.bytes[this.length++] = value % 128 | 128;
      value = Math.floor(value / 128);
    }
    this.bytes[this.length++] = value;
  }
  tagged(number: number, bytes: Uint8Array): void {
    this.varint(number * 8 + BYTES);
    this.varint(bytes.length);
    this.raw(bytes);
  }
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
  done(): Uint8Array<ArrayBuffer> { return this.bytes.subarray(0, this.length); }
}

function bytesOf(type: string, value: Value): Uint8Array {
  return type === "string" ? text.encode(value) : type === "bytes" ? value : encode(type, value);
}

function packed(type: string, values: ArrayLike<number>): Uint8Array {
  const array = ARRAYS[type];
  if (array) {
    const column = values instanceof array ? values : array.from(values);
    return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  }
  const writer = new Writer();
  for (let i = 0; i < values.length; i++) writer.varint(Number(values[i]));
  return writer.done();
}

/** Returns a message's bytes. */
export function encode(message: string, columns: Record<string, Value>): Uint8Array<ArrayBuffer> {
  const fields: Record<string, Field> = (MESSAGES as any)[message];
  const writer = new Writer();
  for (const [name, value] of Object.entries(columns)) {
    const field = fields[name];
    if (!field) throw new TypeError(`${message} has no column ${name}`);
    const [number, type, repeated] = field;
    if (value === undefined || value === null) continue;
    if (repeated && (ARRAYS[type] || VARINTS.has(type))) writer.tagged(number, packed(type, value));
    else if (repeated) for (const one of value) writer.tagged(number, bytesOf(type, one));
    else if (VARINTS.has(type)) {
      writer.varint(number * 8 + VARINT);
      writer.varint(Number(value));
    } else if (ARRAYS[type]) {
      writer.varint(number * 8 + (type === "double" ? FIXED64 : FIXED32));
      writer.raw(packed(type, [value]));
    } else writer.tagged(number, bytesOf(type, value));
  }
  return writer.done();
}

class Reader {
  at: number;
  constructor(readonly bytes: Uint8Array, start = 0, readonly end = bytes.length) { this.at = start; }
  varint(): number {
    let value = 0, factor = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || this.at > this.end) break;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new RangeError("the message is cut short");
  }
  piece(length: number): Uint8Array {
    if (this.at + length > this.end) throw new RangeError("the message is cut short");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  skip(wire: number): void {
    if (wire === VARINT) this.varint();
    else this.piece(wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : this.varint());
  }
}

function column(type: string, bytes: Uint8Array): Value {
  const array = ARRAYS[type];
  if (array) {
    const aligned = bytes.byteOffset % array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
    return new array(aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.length / array.BYTES_PER_ELEMENT);
  }
  let count = 0;
  for (const byte of bytes) if (byte < 128) count++;
  const values = type === "uint32" ? new Uint32Array(count) : new Array<number>(count);
  const reader = new Reader(bytes);
  for (let i = 0; i < count; i++) values[i] = reader.varint();
  return values;
}

function empty([, type, repeated]: Field): Value {
  if (repeated) return ARRAYS[type] ? new ARRAYS[type](0) : type === "uint32" ? new Uint32Array(0) : [];
  return type === "string" ? "" : type === "bytes" ? new Uint8Array(0) : type === "bool" ? false
    : VARINTS.has(type) || ARRAYS[type] ? 0 : undefined;
}

function valueOf(type: string, bytes: Uint8Array): Value {
  return type === "string" ? read.decode(bytes) : type === "bytes" ? bytes : decode(type, bytes);
}

/** Decodes a message. Skips unknown fields. */
export function decode(message: string, bytes: Uint8Array): Record<string, Value> {
  const fields: Record<string, Field> = (MESSAGES as any)[message];
  const byNumber = new Map(Object.entries(fields).map(([name, field]) => [field[0], [name, field] as const]));
  const out: Record<string, Value> = {};
  for (const [name, field] of Object.entries(fields)) out[name] = empty(field);
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.varint(), wire = tag % 8;
    const found = byNumber.get(Math.floor(tag / 8));
    if (!found) {
      reader.skip(wire);
      continue;
    }
    const [name, [, type, repeated]] = found;
    if (wire === VARINT) out[name] = type === "bool" ? reader.varint() !== 0 : reader.varint();
    else if (wire === FIXED64 || wire === FIXED32) out[name] = column(wire === FIXED64 ? "double" : "float", reader.piece(wire === FIXED64 ? 8 : 4))[0];
    else {
      const piece = reader.piece(reader.varint());
      if (!repeated) out[name] = valueOf(type, piece);
      else if (ARRAYS[type] || VARINTS.has(type)) out[name] = column(type, piece);
      else out[name].push(valueOf(type, piece));
    }
  }
  return out;
}
