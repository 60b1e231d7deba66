/** Commands about runs. */

import { Failure } from '../../errors.ts'
import type { RunReport } from '../../pipe/runs/run-report.ts'
import { ended, type ItemState, type Run, type RunItem } from '../../pipe/runs/run.ts'
import type { Command, Io, Option } from '../command.ts'
import { pipeNames, type SchedulerPart } from '../console-parts.ts'
import {
  amount,
  columns,
  countsText,
  problemLine,
  progressOf,
  rhythm,
  runItemRow,
  runLines,
  runRow,
  stateText,
} from '../text-output.ts'

export const runCommands = (ground: RunGround): readonly Command[] => [
  runs(ground.scheduler),
  run(ground.scheduler),
  cancel(ground.scheduler),
  returning(ground, 'resume', 'goes on with a run that was interrupted'),
  returning(ground, 'retry', 'runs again what failed in a run'),
  confirm(ground.scheduler),
  ...(ground.scheduler.adopt ? [adopt(ground.scheduler, ground.scheduler.adopt)] : []),
  ...(ground.scheduler.duplicates ? [duplicates(ground.scheduler.duplicates)] : []),
  dryRun(ground),
]

const count: Option = {
  short: 'n',
  kind: 'number',
  value: 'count',
  most: 1000,
  means: 'at most so many, 20 by default',
}

const runs = (scheduler: SchedulerPart): Command => ({
  name: 'runs',
  words: '[pipe]',
  most: 1,
  does: 'lists runs, newest first',
  options: { number: count },
  complete: (words) => (words.length === 0 ? pipeNames(scheduler) : []),
  run: async ({ words: [pipe], number }, { say }) => {
    const found = scheduler.runs.list({
      ...(pipe !== undefined && { pipe }),
      offset: 0,
      limit: number('number') ?? 20,
    })
    for (const line of columns(found.map(runRow))) await say(line)
    if (found.length === 0) await say('no runs')
  },
})

/** What of a run people ask for first. */
const bad: readonly ItemState[] = ['failed', 'refused', 'duplicate', 'held']

const run = ({ runs, ...scheduler }: SchedulerPart): Command => ({
  name: 'run',
  words: '<id>',
  least: 1,
  does: 'tells about a run and what failed in it',
  options: { number: count },
  complete: recent({ runs, ...scheduler }),
  run: async ({ words: [id = ''], number }, { say }, signal) => {
    const found = knownRun({ runs }, id)
    for (const line of runLines(found)) await say(line)
    const limit = number('number') ?? 20
    for (const state of bad) {
      for (const item of runs.items(id, { state, limit })) {
        signal.throwIfAborted()
        await say(`  ${columns([runItemRow(item)]).join('')}`)
      }
    }
  },
})

const cancel = (scheduler: SchedulerPart): Command => ({
  name: 'cancel',
  words: '<run>',
  least: 1,
  does: 'ends a run, once the work in flight has ended',
  lasts: true,
  complete: recent(scheduler),
  run: async ({ words: [id = ''] }, { say }) => {
    const after = await scheduler.launcher.cancel(knownRun(scheduler, id).id)
    await say(`run ${id} is ${stateText(after)}`)
  },
})

const returning = (ground: RunGround, name: 'resume' | 'retry', does: string): Command => ({
  name,
  words: '<run>',
  least: 1,
  does,
  complete: recent(ground.scheduler),
  run: async ({ words: [id = ''] }, io, signal) => {
    const again = ground.scheduler.launcher[name](knownRun(ground.scheduler, id).id)
    await io.say(`run ${again.id}`)
    await followRun(ground, again, io, signal)
  },
})

const confirm = (scheduler: SchedulerPart): Command => ({
  name: 'confirm',
  words: '<run>',
  least: 1,
  does: 'carries out the removals that a run holds back',
  lasts: true,
  complete: recent(scheduler),
  run: async ({ words: [id = ''] }, { say }, signal) => {
    const { counts, pipe } = knownRun(scheduler, id)
    if (counts.held === 0) throw new Failure('conflict', 'the run holds no removals back')
    if (scheduler.runs.lastComplete(pipe)?.id !== id)
      throw new Failure('conflict', 'it is not the latest complete run of its pipe')
    await scheduler.confirm(id, signal)
    await say(`${amount(counts.held, 'removal')} confirmed`)
  },
})

const adopt = (scheduler: SchedulerPart, hand: NonNullable<SchedulerPart['adopt']>): Command => ({
  name: 'adopt',
  words: '<pipe>',
  least: 1,
  does: 'hands the records of a renamed pipe over',
  lasts: true,
  options: { from: { kind: 'text', value: 'pipe', means: 'the name that the pipe had' } },
  complete: (words) => (words.length === 0 ? pipeNames(scheduler) : []),
  run: async ({ words: [pipe = ''], text }, { say }, signal) => {
    const from = text('from')
    if (from === undefined)
      throw new Failure('invalid-parameter', 'say --from <pipe>: whose records they are now')
    const handed = await hand({ pipe, from }, signal)
    await say(`${amount(handed, 'record')} of ${from} belong to ${pipe} now`)
  },
})

const dryRun = (ground: RunGround): Command => ({
  name: 'dryrun',
  words: '<pipe>',
  least: 1,
  does: 'imports without writing and prints the report',
  options: { number: { ...count, most: 100_000 } },
  complete: (words) => (words.length === 0 ? pipeNames(ground.scheduler) : []),
  run: async ({ words: [pipe = ''], number }, io, signal) => {
    const { launcher, runs } = ground.scheduler
    const limit = number('number') ?? 20
    const launched = launcher.launch({ pipe, startedBy: 'console', dryRun: true, limit })
    if ('dropped' in launched)
      throw new Failure('conflict', `the pipe is active already: run ${launched.dropped.id}`)
    await io.say(`run ${launched.run.id}`)
    const done = await followRun(ground, launched.run, io, signal)
    for (const item of runs.items(done.id, { limit })) {
      signal.throwIfAborted()
      await tellChange(item, io)
    }
    await tellReport(runs.report(done.id), io)
    if (done.problem) await io.say(problemLine(done.problem))
  },
})

/** What would become of a record, and what of it would go and come. */
async function tellChange(item: RunItem, { say }: Io): Promise<void> {
  await say(columns([runItemRow(item)]).join(''))
  for (const text of item.difference?.gone ?? []) await say(`  - ${text}`)
  for (const text of item.difference?.come ?? []) await say(`  + ${text}`)
}

async function tellReport({ problems, findings, requests }: RunReport, { say }: Io) {
  for (const [slug, group] of Object.entries({ ...problems, ...findings })) {
    await say(`${slug}: ${group.count}`)
    for (const { id, detail } of group.examples) await say(`  ${id ?? '–'} ${detail ?? ''}`)
  }
  for (const [host, statuses] of Object.entries(requests)) {
    const told = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`)
    await say(`${host}  ${told.join(', ')}`)
  }
}

/** Ids of the newest runs. */
const recent =
  ({ runs }: SchedulerPart) =>
  (words: readonly string[]): readonly string[] =>
    words.length === 0 ? runs.list({ offset: 0, limit: 50 }).map(({ id }) => id) : []

// Watching a run to its end.

/** What commands about runs stand on. */
export type RunGround = {
  readonly scheduler: SchedulerPart
  /** Milliseconds of a clock. */
  readonly now: () => number
}

/** Tells the progress every five seconds and the end; throws `Failure` when the run did not finish. */
export async function followRun(
  { scheduler, now }: RunGround,
  { id }: Run,
  { say, tell }: Io,
  signal: AbortSignal,
): Promise<Run> {
  const isTime = rhythm(now)
  let last = knownRun(scheduler, id)
  for await (const run of scheduler.runs.follow(id, signal)) {
    last = run
    if (!ended(run) && isTime()) tell(progressOf(run))
  }
  signal.throwIfAborted()
  if (ended(last)) await say(progressOf(last))
  await say(`run ${id} is ${stateText(last)}: ${countsText(last)}`)
  if (last.status === 'finished') return last
  const why = last.problem ? `: ${problemLine(last.problem)}` : ''
  throw new Failure('conflict', `the run is ${last.status}${why}`)
}

/** Throws `unknown-run`. */
export function knownRun({ runs }: Pick<SchedulerPart, 'runs'>, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}

// The command that tells which harvested datasets may be the same.

const marks = { identifier: 'the same identifier', page: 'the same landing page' } as const

const duplicates = (work: NonNullable<SchedulerPart['duplicates']>): Command => ({
  name: 'duplicates',
  words: '[catalogue]',
  most: 1,
  does: 'lists harvested datasets of several catalogues that may be the same',
  options: {
    number: {
      short: 'n',
      kind: 'number',
      value: 'count',
      most: 100_000,
      means: 'at most so many, 20 by default',
    },
  },
  run: async ({ words: [catalogue], number }, { say }, signal) => {
    const most = number('number') ?? 20
    let told = 0
    for await (const group of work(catalogue, signal)) {
      if (told === most) {
        await say('and more')
        return
      }
      told += 1
      const names = group.map((one) => `${one.platformId ?? one.originalId} in ${one.catalogue}`)
      const [first] = group
      if (first) await say(`${marks[first.mark]}: ${names.join(', ')}`)
    }
    if (told === 0) await say('nothing looks the same')
  },
})
