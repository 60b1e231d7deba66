/** Types of the used part of rdf-canonize, which has none. */
declare module 'rdf-canonize' {
  import type { Quad } from '@rdfjs/types'

  export type Digest = { update(text: string): void; digest(): string }
  type Settings = {
    readonly algorithm: 'RDFC-1.0'
    readonly canonicalIdMap: Map<string, string>
    readonly createMessageDigest: () => Digest
    readonly maxDeepIterations: number
  }
  export function canonize(quads: readonly Quad[], settings: Settings): Promise<string>
}
