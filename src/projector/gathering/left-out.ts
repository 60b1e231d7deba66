/** Tells what was left out of documents: each record in the debug log, each batch in one line, all of it to the counters. */

import type { IndexChange } from '../../search-index/search-index.ts'
import type { Log } from '../../log.ts'
import type { Built } from '../document.ts'
import type { Report } from '../mappings/mapping.ts'

/** Called with all reports of a batch, for counters. */
export type LeftOut = (reports: readonly Report[]) => void

export type Telling = {
  readonly told: (built: Built) => IndexChange
  /** To be called when the batch is indexed. */
  readonly end: () => void
}

export function telling(deps: { readonly log: Log; readonly leftOut?: LeftOut }): Telling {
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
