/** Types of the part of the WebAssembly JavaScript interface that is used here, which the types of Node lack. */

declare namespace WebAssembly {
  /** Compiled code, which can be sent to workers. */
  class Module {
    constructor(bytes: Uint8Array)
    readonly [Symbol.toStringTag]: string
  }
  /** Trap of the engine. */
  class RuntimeError extends Error {}
  class Memory {
    /** Pages of 64 KB. */
    constructor(pages: { readonly initial: number; readonly maximum: number })
    readonly buffer: ArrayBuffer
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
