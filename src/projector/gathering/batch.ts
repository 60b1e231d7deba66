/** One batch from marks to index: what each kind of resource becomes, to be written as a whole. */

import type { Log } from '../../log.ts'
import type { IndexChange } from '../../search-index/search-index.ts'
import type { Built } from '../building/assemble.ts'
import type { Write } from '../projector.ts'
import type { Pending } from '../queue.ts'
import type { Report } from '../mappings/mapping.ts'
import {
  catalogueChanges,
  datasetChanges,
  type GatherDeps,
  resourceChanges,
} from './record-changes.ts'
import { indexVocabulary } from './vocabulary-indexing.ts'

export type BatchDeps = Omit<GatherDeps, 'told'> & { readonly leftOut?: LeftOut }

/**
 * Catalogues come before the datasets that embed them, vocabularies before the records that use them; these are written on
 * their own and at once, because they may be larger than memory. A resource of no known kind has nothing to index; its mark is
 * cleared with the others.
 */
export async function gatherBatch(
  deps: BatchDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<Write> {
  const { told, end } = telling(deps)
  const gather = { ...deps, told }
  const of = (kind: 'dataset' | 'catalogue' | 'vocabulary') =>
    batch.filter(({ resource }) => deps.names.idOf(kind, resource) !== undefined)
  for (const pending of of('vocabulary')) await indexVocabulary(gather, pending, signal)
  const changes: IndexChange[] = await catalogueChanges(gather, of('catalogue'), signal)
  for (const part of portions(of('dataset')))
    changes.push(...(await datasetChanges(gather, part, signal)))
  for (const part of portions(batch)) changes.push(...(await resourceChanges(gather, part, signal)))
  return async () => {
    if (changes.length > 0) await deps.index.write(changes, signal)
    end()
  }
}

/** Resources whose graphs are read with one message: a store has its limits, and others read meanwhile. */
const perRead = 100

function* portions(pending: readonly Pending[]): Generator<readonly Pending[]> {
  for (let at = 0; at < pending.length; at += perRead) yield pending.slice(at, at + perRead)
}

// Tells what was left out of documents: each record in the debug log, each batch in one line, all of it to the
// counters.

/** Called with all reports of a batch, for counters. */
type LeftOut = (reports: readonly Report[]) => void

type Telling = {
  readonly told: (built: Built) => IndexChange
  /** To be called when the batch is indexed. */
  readonly end: () => void
}

function telling(deps: { readonly log: Log; readonly leftOut?: LeftOut }): Telling {
  const all: Report[] = []
  let records = 0
  return {
    told: ({ document, reports }) => {
      const [first] = reports
      if (first) {
        records += 1
        all.push(...reports)
        const values = reports.map(({ field, problem, value }) => ({ field, problem, value }))
        deps.log.debug({ resource: first.resource, leftOut: values }, 'record.leftOut')
      }
      return { put: document }
    },
    end: () => {
      if (all.length === 0) return
      const problems: Record<string, number> = {}
      for (const { problem } of all) problems[problem] = (problems[problem] ?? 0) + 1
      deps.log.info({ records, values: all.length, problems }, 'batch.leftOut')
      deps.leftOut?.(all)
    },
  }
}
