/** Many triggers with one-second intervals, all due at the same instants: how late their runs are made. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../src/log.ts'
import { openRuns } from '../../src/pipe/runs/run-history.ts'
import { openTriggers, type TriggersOptions } from '../../src/scheduler/triggers.ts'
import type { Trigger } from '../../src/scheduler/trigger.ts'
import { percentile, table } from './figures.ts'

export type TriggersWish = { readonly triggers: number; readonly seconds: number }

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

/** Every firing makes a durable run, as the launcher does before it looks for a place to run it. */
export async function triggersBench(
  directory: string,
  { triggers: count, seconds }: TriggersWish,
): Promise<string> {
  const folder = join(directory, 'triggers')
  const log = logger('warn')
  const ground = { now: Date.now, pause, log }
  const runs = openRuns({ ...ground, path: join(directory, 'runs.sqlite'), owner: 'bench' })
  // Far enough away that all of them are set before it.
  const start = Math.ceil(Date.now() / 1000) * 1000 + 3000
  const made = new Map<string, number[]>()
  const launcher: TriggersOptions['launcher'] = {
    launch: ({ pipe, trigger = '' }) => {
      const run = runs.create({
        pipe,
        trigger,
        startedBy: 'trigger',
        dryRun: false,
        configs: {},
        segments: [],
      })
      made.get(pipe)?.push(Date.now())
      // Runs that never end would fill the memory, as they do nowhere else.
      runs.change(run.id, { status: 'cancelled' })
      return { run }
    },
  }
  const triggers = openTriggers({ ...ground, path: `${folder}.sqlite`, runs, launcher })
  const one: Trigger = {
    id: 'every-second',
    status: 'enabled',
    timing: { kind: 'interval', unit: 'SECOND', value: 1, anchor: start },
  }
  const names = Array.from({ length: count }, (_, n) => `pipe-${n}`)
  for (const name of names) made.set(name, [])
  triggers.replaceAll(new Map(names.map((name) => [name, [one]])))
  const cpu = process.cpuUsage()
  await sleep(start + seconds * 1000 - 500 - Date.now())
  await triggers.stop()
  const used = process.cpuUsage(cpu)
  await runs.close()
  await rm(join(directory, 'runs.sqlite'), { force: true })
  const busy = (used.user + used.system) / 1e6 / seconds
  return told({ made: [...made.values()], start, seconds }, busy)
}

type Firings = {
  /** Instants of each trigger, ascending. */
  readonly made: readonly (readonly number[])[]
  readonly start: number
  readonly seconds: number
}

function told({ made, start, seconds }: Firings, busy: number): string {
  // What fires a second late or more has missed its instant: it counts for the one that is due then.
  const late = made.flatMap((instants) => instants.map((at) => (at - start) % 1000))
  const missed = made.map((instants) => {
    const met = new Set(instants.map((at) => Math.floor((at - start) / 1000)))
    return seconds - met.size
  })
  return table([
    ['triggers', 'seconds', 'firings', 'missed', 'at worst', 'late ms p50', 'p99', 'max', 'CPU'],
    [
      made.length,
      seconds,
      late.length,
      missed.reduce((sum, count) => sum + count, 0),
      Math.max(...missed),
      percentile(late, 0.5),
      percentile(late, 0.99),
      percentile(late, 1),
      `${Math.round(busy * 100)} %`,
    ],
  ])
}
