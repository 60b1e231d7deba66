/** The RDF engine's compiled code with a bound on its memory: compiled here once, started in workers only. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { initSync } from 'oxigraph/web.js'

// V8 shares one compiled module between threads and frees it with the last of them, or piece by piece while it runs; in
// Node 24 either can end the process (nodejs/node issue 64500). So this thread keeps what it compiled for good.
setFlagsFromString('--no-wasm-code-gc')

const MB = 2 ** 20
const pageBytes = 64 * 1024
/** What 32 bits can address. */
const mostPages = 65_536
const memorySection = 5

/** Compiled code, which workers may be sent, and the bytes of memory that it will ask for at most. */
export type RdfEngine = { readonly module: WebAssembly.Module; readonly bytes: number }

/** An unsigned number as LEB128 (WebAssembly 5.2.2), and back: the number and the offset behind it. */
function encoded(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

function decoded(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly end: number } {
  let value = 0
  for (let [at, shift] = [start, 0]; ; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value: value >>> 0, end: at + 1 }
  }
}

/** The module with a maximum in its memory section (WebAssembly 5.5.8), which has one memory and none so far. */
function capped(code: Uint8Array, pages: number): Uint8Array {
  for (let at = 8; at < code.length;) {
    const { value: size, end: start } = decoded(code, at + 1)
    if (code[at] === memorySection) {
      const initial = decoded(code, start + 2)
      if (code[start] !== 1 || code[start + 1] !== 0 || initial.value > pages) break
      const body = [1, 1, ...encoded(initial.value), ...encoded(pages)]
      const section = Uint8Array.from([memorySection, ...encoded(body.length), ...body])
      return Buffer.concat([code.subarray(0, at), section, code.subarray(start + size)])
    }
    at = start + size
  }
  throw new Error('the memory of the RDF engine cannot be bounded: its module has another layout')
}

const engines = new Map<number, RdfEngine>()

/** The engine with at most so much memory, in whole pages: what needs more is a trap (`isBroken`), and nobody else notices. */
export function boundedEngine(bytes: number): RdfEngine {
  const pages = Math.min(mostPages, Math.ceil(bytes / pageBytes))
  const known = engines.get(pages)
  if (known) return known
  const path = createRequire(import.meta.url).resolve('oxigraph/web_bg.wasm')
  const module = new WebAssembly.Module(capped(readFileSync(path), pages))
  const engine = { module, bytes: pages * pageBytes }
  engines.set(pages, engine)
  return engine
}

let memory: WebAssembly.Memory | undefined
let most = 0

/** Makes a thread able to open stores; once, and before the first. */
export function startEngine({ module, bytes }: RdfEngine): void {
  memory ??= initSync({ module }).memory
  most = bytes
}

/** Bytes that the engine of this thread has taken from the system, which never gets any back, and those that it may take. */
export const engineMemory = () => ({ taken: memory?.buffer.byteLength ?? 0, most })

/** More than nine tenths are taken: nothing may be added, so that what there is can always be loaded again. */
export const isShort = (): boolean => engineMemory().taken > most * 0.9

/** What needs so much text might trap: tables that double ask for as much again as there is. */
export const isTight = (bytes: number): boolean => {
  const { taken } = engineMemory()
  return most - taken < Math.max(taken, 8 * bytes, 256 * MB)
}

/** Bytes that this process may have: of its control group, else of the machine. */
export function processBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** What the writing engine may take: three quarters of what the process may, and no more than 32 bits can address. */
export const writerBytes = (): number =>
  Math.min(mostPages * pageBytes, Math.max(512 * MB, Math.floor(processBytes() * 0.75)))
