/** Parts of a platform for the console: real runs, pipes that are named and nothing else, and a repository of words. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsoleTrigger, Parts, RepositoryPart } from '../../../src/console/console-parts.ts'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import { openRuns } from '../../../src/pipe/runs/run-history.ts'
import { findPipe, type PipeEntry } from '../../../src/pipe/sources/pipe-files.ts'
import { launcherDouble } from '../scheduler/launcher-double.ts'
import { pipeNamed } from '../scheduler/scheduler-fixture.ts'

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal })

export type ConsoleParts = ReturnType<typeof consoleParts>

const known = (name: string): PipeEntry => ({
  pipe: pipeNamed(name),
  source: 'pipes',
  file: `${name}.json`,
  trust: 'trusted',
  directory: '/pipes',
  problems: [],
})

/** Tombstones are given until nobody wants any more; `asked` tells how far that went. */
export function consoleParts() {
  const directory = mkdtempSync(join(tmpdir(), 'cartulary-console-'))
  const path = join(directory, 'runs.sqlite')
  const runs = openRuns({ path, owner: 'test', now: Date.now, pause, log: logger('silent') })
  const launcher = launcherDouble(runs)
  const pipes = [known('city'), known('lake')]
  const triggers = new Map<string, ConsoleTrigger[]>([
    [
      'city',
      [{ id: 'daily', status: 'enabled', timing: { kind: 'cron', expression: '0 3 * * *' } }],
    ],
  ])
  const seen = { asked: 0, left: false, confirmed: [] as string[], clears: [] as string[] }
  // A long work that ends when a test says so.
  const work = Promise.withResolvers<void>()
  const repository: RepositoryPart = {
    launch: async ({ pipe }) => {
      if (!findPipe(pipes, pipe)) throw new Failure('unknown-pipe', `Pipe ${pipe} not available`)
      const launched = launcher.launch({ pipe, startedBy: 'console' })
      return { datasets: 3, run: 'run' in launched ? launched.run.id : launched.dropped.id }
    },
    index: async (catalogues, progress, signal) => {
      progress(0, 10)
      await Promise.race([work.promise, rejection(signal)])
      return catalogues.length
    },
    reindex: async () => 7,
    reconcile: async ({ dryRun }) => ({
      compared: 1234,
      missing: 1,
      stale: 2,
      extra: 3,
      repaired: dryRun ? 0 : 6,
    }),
    pending: async () => ({ count: 2, oldest: 61 }),
    clear: async ({ catalogue, keepIndex }) => {
      seen.clears.push(`${catalogue}${keepIndex ? ' -k' : ''}`)
      return 3
    },
    repair: async function* repair() {},
    repairAddresses: async function* repairAddresses({ dryRun }) {
      yield `accessURL ${dryRun ? 'would be' : 'is'} restored`
    },
    repairStore: async function* repairStore({ dryRun }) {
      yield `title ${dryRun ? 'would be' : 'is'} removed`
    },
    restore: async (id) =>
      id === 'gone'
        ? { restored: 1, failed: [{ id, reason: 'its id is in use again' }] }
        : { restored: 1, failed: [] },
    tombstones: async function* tombstones(catalogue) {
      try {
        for (;;) {
          await sleep(1)
          seen.asked += 1
          yield {
            id: `gone-${seen.asked}`,
            catalogue: catalogue ?? 'city',
            deleted: '2026-11-21T12:00:00Z',
          }
        }
      } finally {
        seen.left = true
      }
    },
    installVocabularies: async function* install(ids) {
      for (const id of ids) yield `${id}  installed`
    },
    vocabularies: async function* vocabularies() {
      yield { id: 'language', concepts: 1200 }
    },
  }
  const parts: Parts = {
    scheduler: {
      pipes: {
        list: () => pipes,
        invalid: () => [
          { source: 'pipes', file: 'bad.yaml', problems: [{ detail: 'no segments' }] },
        ],
        find: (name) => findPipe(pipes, name),
        reload: async () => undefined,
      },
      launcher,
      runs,
      triggers: {
        all: () => triggers,
        of: (pipe) => triggers.get(pipe) ?? [],
        setStatus: (pipe, id, status) => {
          const set = triggers.get(pipe) ?? []
          if (!set.some((one) => one.id === id))
            throw new Failure('unknown-trigger', 'no such trigger')
          triggers.set(
            pipe,
            set.map((one) => ({ ...one, status })),
          )
        },
      },
      confirm: async (id) => void seen.confirmed.push(id),
      adopt: async () => 4,
      duplicates: async function* duplicates(catalogue) {
        if (catalogue === 'lake') return
        for (const originalId of ['water', 'weather', 'wind'])
          yield [
            { keyName: 'identifier', catalogue: 'city', originalId, platformId: originalId },
            {
              keyName: 'identifier',
              catalogue: 'town',
              originalId,
              platformId: `${originalId}~~1`,
            },
          ]
      },
      mask: (pipe) => ({ ...pipe, body: '•••' }),
    },
    repository,
    search: {
      sitemap: async () => 9,
      boosts: () => ({ title: 5 }),
      facets: () => [{ index: 'dataset', id: 'format' }],
    },
    metrics: { refresh: async () => undefined },
    status: async () => ({ store: 'up', pending: 0, evil: '\u001b[2Jcleared\u202e' }),
  }
  return {
    parts,
    runs,
    launcher,
    seen,
    finishWork: () => work.resolve(),
    close: async () => {
      await runs.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const rejection = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
