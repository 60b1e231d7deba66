/** Turtle reader that reports the line of every statement, for hand-written files. */
import type { EventEmitter } from 'node:events'
import type { Quad } from '@rdfjs/types'
import { Parser } from 'n3'

/** A statement and the line on which its object ends (for list members, the line of the previous one); lines count from 1. */
export type PlacedQuad = { readonly quad: Quad; readonly line: number }

/** Part of N3.js that its types do not declare. */
type Observed = {
  parse(
    input: EventEmitter,
    observers: {
      readonly onQuad: (error: Error | null, quad: Quad | null) => void
      readonly onToken: (token: { readonly line: number }) => void
    },
  ): void
}

/** Reads a valid Turtle text; statements are in the order in which they end. */
export function placedQuads(text: string, baseIri: string): readonly PlacedQuad[] {
  const listeners = new Map<string, (text?: string) => void>()
  const source = {
    on: (event: string, listener: (text?: string) => void) => listeners.set(event, listener),
  }
  const placed: PlacedQuad[] = []
  // A statement is complete with the token after it, which may be on a later line.
  let lines = { previous: 1, current: 1 }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- observers are missing in the published types
  const parser = new Parser({ format: 'text/turtle', baseIRI: baseIri }) as unknown as Observed
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `on` is all that is called
  parser.parse(source as unknown as EventEmitter, {
    onQuad: (error, quad) => {
      if (error) throw error
      if (quad) placed.push({ quad, line: lines.previous })
    },
    onToken: ({ line }) => {
      lines = { previous: lines.current, current: line }
    },
  })
  listeners.get('data')?.(text)
  listeners.get('end')?.()
  return placed
}
