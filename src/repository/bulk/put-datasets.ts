/** Writes many datasets that this process has as texts, each by itself: what a harvest sends needs no body around it. */

import type { Quad } from '@rdfjs/types'
import type { TermLimits } from '../../rdf/reading/options.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import { namedNode } from '../../rdf/terms.ts'
import { prepareDataset } from '../writing/dataset-plan.ts'
import type { Chunk } from './chunks.ts'
import { landChunk, type LandingDeps } from './land-chunk.ts'
import { checkedOriginalId } from './original-id.ts'
import { turns } from './turns.ts'
import type { Verdict } from './verdicts.ts'

export type DatasetText = {
  readonly originalId: string
  /** IRI under which the text describes the dataset. */
  readonly iri: string
  /** N-Triples about this dataset and no other. */
  readonly text: string
}

/**
 * A verdict for each, in their order, as for the same datasets in the body of a bulk request. No original id may stand among
 * them twice. Rejects when the signal fires before it is their turn.
 */
export type PutDatasets = (
  catalogue: string,
  texts: readonly DatasetText[],
  signal: AbortSignal,
) => Promise<readonly Verdict[]>

type PutDeps = LandingDeps & { readonly limits: TermLimits }

/** Calls at the same time: while one waits for the store the next is made ready. */
const atOnce = 3

export function putDatasets(deps: PutDeps): PutDatasets {
  const line = turns(atOnce)
  return async (catalogue, texts, signal) => {
    const end = await line.take(signal)
    try {
      await deps.keptUp(signal)
      const chunk: Chunk[number][] = []
      for (const one of texts) {
        chunk.push(await made(deps, one))
        await deps.pause()
      }
      const instance = `/catalogues/${catalogue}/datasets/bulk`
      return await landChunk(deps, { catalogue, enforceUpdate: false, instance }, chunk, signal)
    } finally {
      end()
    }
  }
}

async function made(deps: PutDeps, { originalId, iri, text }: DatasetText): Promise<Chunk[number]> {
  try {
    checkedOriginalId(originalId)
    const quads: Quad[] = []
    for await (const some of parseText(text, 'ntriples', { baseIri: iri, limits: deps.limits })) {
      quads.push(...some)
      await deps.pause()
    }
    return { originalId, prepared: await prepareDataset(deps, quads, namedNode(iri)) }
  } catch (error) {
    return { originalId, error }
  }
}
