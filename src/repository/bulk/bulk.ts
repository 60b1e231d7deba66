/** Writes many datasets of one body: independent of each other, in the order of the body, in bounded memory. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { chunks } from './chunks.ts'
import { landChunk, type Aim, type LandingDeps } from './land-chunk.ts'
import { ManyDatasets } from './many-datasets.ts'
import type { Precedence } from './original-id.ts'
import { pieces } from './pieces.ts'
import type { Verdict } from './verdicts.ts'

type BulkPut = Aim & {
  /** The body as it is parsed. */
  readonly batches: AsyncIterable<readonly Quad[]>
  readonly precedence: Precedence
}

export type Bulk = {
  /**
   * Reads the whole body before anything is written: rejects as the parser does, and with `too-large` for too many datasets.
   * What it resolves with then writes chunk by chunk as it is asked on, and never throws; ending it early leaves out what
   * has not been begun. Verdicts come in the order of the body.
   */
  put(request: BulkPut, signal: AbortSignal): Promise<AsyncGenerator<readonly Verdict[], void>>
}

export type BulkDeps = LandingDeps & {
  /** Datasets of one request. */
  readonly most: number
}

export function bulk(deps: BulkDeps): Bulk {
  return {
    put: async ({ batches, precedence, ...aim }, signal) => {
      const { names, triples, canonical, pause, most } = deps
      const body = new ManyDatasets(names)
      for await (const quads of batches) {
        signal.throwIfAborted()
        body.add(quads)
        await pause()
      }
      const found = await pieces(body, pause)
      if (found.length > most) throw tooMany(found.length, most)
      const bounds = { triples, ...(canonical && { canonical }) }
      const prepared = chunks({ names, ...bounds, body, precedence, pause, signal }, found)
      return landed(prepared, async (chunk) => {
        await deps.keptUp(signal)
        return landChunk(deps, aim, chunk, signal)
      })
    },
  }
}

/** While one chunk is being written the next is made ready. */
async function* landed<Chunk, Outcome extends object>(
  source: AsyncIterable<Chunk>,
  land: (chunk: Chunk) => Promise<Outcome>,
): AsyncGenerator<Outcome, void> {
  let landing: Promise<Outcome> | undefined
  try {
    for await (const chunk of source) {
      const last = await landing
      landing = land(chunk)
      if (last !== undefined) yield last
    }
    if (landing) yield await landing
  } finally {
    // Whoever leaves early waits for what is on its way.
    await landing
  }
}

const tooMany = (given: number, most: number) =>
  new Failure(
    'too-large',
    `${given} datasets, at most ${most} are taken at once (limit "bulkItems" of PLATFORM_LIMITS)`,
  )
