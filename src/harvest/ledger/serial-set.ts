/** A set of row numbers: a bit for each, so that a million of them are 125 KB. */

const bitsPerChunk = 32_768

export class SerialSet {
  readonly #chunks = new Map<number, Uint8Array>()
  readonly #changed = new Set<number>()
  #size = 0

  /** Without what was loaded. */
  get size(): number {
    return this.#size
  }

  has(serial: number): boolean {
    const bits = this.#chunks.get(Math.floor(serial / bitsPerChunk))
    const at = serial % bitsPerChunk
    return bits !== undefined && ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
  }

  add(serial: number): void {
    if (this.has(serial)) return
    this.#size += 1
    this.#write(serial, (byte, bit) => byte | bit)
  }

  delete(serial: number): void {
    if (!this.has(serial)) return
    this.#size -= 1
    this.#write(serial, (byte, bit) => byte & ~bit)
  }

  /** Takes up a chunk that `changes` has given once. */
  load(chunk: number, bits: Uint8Array): void {
    const copy = new Uint8Array(bitsPerChunk / 8)
    copy.set(bits.subarray(0, copy.length))
    this.#chunks.set(chunk, copy)
  }

  /** The chunks that have changed since this was asked last. */
  changes(): readonly (readonly [chunk: number, bits: Uint8Array])[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed.flatMap((chunk) => {
      const bits = this.#chunks.get(chunk)
      return bits ? [[chunk, bits] as const] : []
    })
  }

  #write(serial: number, change: (byte: number, bit: number) => number): void {
    const chunk = Math.floor(serial / bitsPerChunk)
    const bits = this.#chunks.get(chunk) ?? new Uint8Array(bitsPerChunk / 8)
    const at = serial % bitsPerChunk
    bits[at >> 3] = change(bits[at >> 3] ?? 0, 1 << (at & 7))
    this.#chunks.set(chunk, bits)
    this.#changed.add(chunk)
  }
}
