/** The part of WebAssembly's JavaScript interface that is used here; the types of Node leave it to those of browsers. */

declare namespace WebAssembly {
  /** Compiled code; may be sent to workers. */
  class Module {
    constructor(bytes: Uint8Array)
    readonly [Symbol.toStringTag]: string
  }
  /** A trap. */
  class RuntimeError extends Error {}
  class Memory {
    /** Pages of 64 KB. */
    constructor(pages: { readonly initial: number; readonly maximum: number })
    readonly buffer: ArrayBuffer
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
