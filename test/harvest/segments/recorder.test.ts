/** What an importer has read so far, in two passes over its source. */

import { expect, it } from 'vitest'
import { ImportRecorder } from '../../../src/harvest/importers/import-recorder.ts'
import type { RunSink } from '../../../src/pipe/runs/run.ts'

it('begins a second pass without the ids of a page that the first one did not end', () => {
  const sink: Pick<RunSink, 'offered' | 'page'> = { offered: () => {}, page: () => {} }
  const limits = { maxItems: 9, maxPages: 9, maxItemBytes: 999 }
  const recorder = new ImportRecorder({
    limits: limits as never,
    sink: sink as RunSink,
    now: () => 0,
    shape: '',
    limit: undefined,
  })
  const [sourceId, mediaType, text] = ['a', 'application/n-triples', '']
  recorder.take({ kind: 'record', sourceId, aliases: [], mediaType, text }, 0)
  recorder.startAgain()
  for (const _ of ['first', 'second']) recorder.take({ kind: 'page' }, 0)
  expect(recorder.isOver).toBe(true)
})
