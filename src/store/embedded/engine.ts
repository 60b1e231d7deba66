/** Compiles the RDF engine (Oxigraph as WebAssembly) with a limit on its memory; workers start it. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { initSync, type InitOutput } from 'oxigraph/web.js'

// V8 shares one compiled module between threads and frees it with the last of them, or piece by piece while it runs; in
// Node 24 either can end the process (nodejs/node issue 64500). So this thread keeps compiled modules until the process ends.
setFlagsFromString('--no-wasm-code-gc')

const MB = 2 ** 20
const pageBytes = 64 * 1024
/** Pages of memory that 32 bits can address. */
const maxPages = 65_536
const memorySection = 5

/** Compiled module, which can be sent to workers, and its maximum memory in bytes. */
export type RdfEngine = { readonly module: WebAssembly.Module; readonly bytes: number }

/** Encodes an unsigned number as LEB128 (WebAssembly 5.2.2). */
function encodeLeb128(value: number): number[] {
  const bytes: number[] = []
  let remaining = value
  for (; remaining > 0x7f; remaining >>>= 7) bytes.push((remaining & 0x7f) | 0x80)
  return [...bytes, remaining]
}

/** Decodes a LEB128 number; `end` is the offset after it. */
function decodeLeb128(
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

/** Adds a maximum to the memory section of a module (WebAssembly 5.5.8), which must have one memory without maximum. */
function withMaximumMemory(code: Uint8Array, pages: number): Uint8Array {
  for (let at = 8; at < code.length;) {
    const { value: size, end: start } = decodeLeb128(code, at + 1)
    if (code[at] === memorySection) {
      const initial = decodeLeb128(code, start + 2)
      if (code[start] !== 1 || code[start + 1] !== 0 || initial.value > pages) break
      const body = [1, 1, ...encodeLeb128(initial.value), ...encodeLeb128(pages)]
      const section = Uint8Array.from([memorySection, ...encodeLeb128(body.length), ...body])
      return Buffer.concat([code.subarray(0, at), section, code.subarray(start + size)])
    }
    at = start + size
  }
  throw new Error('the memory of the RDF engine cannot be bounded: its module has another layout')
}

const engines = new Map<number, RdfEngine>()

/** Engine with at most `bytes` of memory, in whole pages; a call that needs more traps (`isBroken`) in its worker only. */
export function boundedEngine(bytes: number): RdfEngine {
  const pages = Math.min(maxPages, Math.ceil(bytes / pageBytes))
  const cached = engines.get(pages)
  if (cached) return cached
  const path = createRequire(import.meta.url).resolve('oxigraph/web_bg.wasm')
  const module = new WebAssembly.Module(withMaximumMemory(readFileSync(path), pages))
  const engine = { module, bytes: pages * pageBytes }
  engines.set(pages, engine)
  return engine
}

let exported: InitOutput | undefined
let maxBytes = 0

/** Starts the engine in this thread; to be called once, before the first store is opened. */
export function startEngine({ module, bytes }: RdfEngine): void {
  exported ??= initSync({ module })
  maxBytes = bytes
}

/** Memory of the engine of this thread in bytes: allocated, which only grows, and its maximum. */
export const engineMemory = () => ({
  allocated: exported?.memory.buffer.byteLength ?? 0,
  max: maxBytes,
})

/** Bytes by which the memory grows at least. */
const growthBytes = 16 * MB

/**
 * Lets the memory grow in few steps, to be called before loading: V8 takes the memory before a step for garbage of the same size,
 * and collects all garbage after each. Without this there is a step for each megabyte. What is not used takes addresses only.
 */
export function growInSteps(): void {
  const { allocated, max } = engineMemory()
  if (!exported || max - allocated < Math.max(allocated, 16 * growthBytes)) return
  const { __wbindgen_malloc: allocate, __wbindgen_free: release } = exported
  release(allocate(growthBytes, 8), growthBytes, 8)
}

/** Whether nine tenths of the memory are allocated. Nothing may be added then, so that the data can always be loaded again. */
export const isNearlyFull = (): boolean => engineMemory().allocated > maxBytes * 0.9

/**
 * Whether adding text of `bytes` (or UTF-16 units) might exceed the memory: growing tables allocate as much again as they have.
 */
export const mayExceedMemory = (bytes: number): boolean => {
  const { allocated } = engineMemory()
  return maxBytes - allocated < Math.max(allocated, 8 * bytes, 256 * MB)
}

/** Memory limit of this process in bytes: that of its control group, otherwise of the machine. */
export function processBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** Bytes of everything beside the writing engine. A process without data takes 200 MB, one that harvests and measures 400 MB. */
const otherBytes = 448 * MB

/**
 * Maximum memory of the writing engine in bytes: three quarters of that of the process, or what leaves enough for everything else if
 * that is less, from 512 MB to 4 GB. The engine refuses what would exceed it; beyond that of the process the kernel would end it.
 */
export function writerBytes(limit: number = processBytes()): number {
  const bytes = Math.min(Math.floor(limit * 0.75), limit - otherBytes)
  return Math.min(maxPages * pageBytes, Math.max(512 * MB, bytes))
}
