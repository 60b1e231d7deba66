/** Commands about runs: lists, details, cancellation, repetition, held removals, ownership, duplicates, dry runs. */

import { Failure } from '../errors.ts'
import type { ItemState } from '../pipe/runs/run.ts'
import type { Command } from './command.ts'
import { firstWord, pipeNames, type SchedulerPart } from './console-parts.ts'
import { followRun, runById, launchOrFail } from './pipe-commands.ts'
import {
  amount,
  changeLines,
  columns,
  problemLine,
  reportLines,
  runItemLine,
  runLines,
  runRow,
  stateText,
} from './text-output.ts'

/** Commands about runs, without `launch`. */
export const runCommands = (scheduler: SchedulerPart): readonly Command[] => [
  runs(scheduler),
  run(scheduler),
  cancel(scheduler),
  runAgain(scheduler, 'resume', 'continues a run that was interrupted'),
  runAgain(scheduler, 'retry', 'runs again what failed in a run'),
  confirm(scheduler),
  adopt(scheduler),
  duplicates(scheduler),
  dryRun(scheduler),
]

const countOption = (most: number) =>
  ({
    number: {
      short: 'n',
      type: 'string',
      value: 'count',
      range: [1, most],
      meaning: 'at most, 20 by default',
    },
  }) as const

/** Completion of ids of recent runs. */
const recentRuns = ({ runs }: SchedulerPart) =>
  firstWord(() => runs.list({ offset: 0, limit: 50 }).map(({ id }) => id))

const runs = (scheduler: SchedulerPart): Command => ({
  name: 'runs',
  words: '[pipe]',
  summary: 'lists runs, newest first',
  options: countOption(1000),
  complete: firstWord(() => pipeNames(scheduler)),
  run: ({ words: [pipe], number }) => {
    const limit = number('number') ?? 20
    const list = scheduler.runs.list({ pipe, offset: 0, limit })
    return list.length === 0 ? 'no runs' : columns(list.map(runRow))
  },
})

/** States of items that `run` lists. */
const badStates: readonly ItemState[] = ['failed', 'refused', 'duplicate', 'held']

const run = (scheduler: SchedulerPart): Command => ({
  name: 'run',
  words: '<id>',
  summary: 'shows a run and what failed in it',
  options: countOption(1000),
  complete: recentRuns(scheduler),
  *run({ words: [id = ''], number }) {
    yield* runLines(runById(scheduler, id))
    const limit = number('number') ?? 20
    for (const state of badStates)
      for (const item of scheduler.runs.items(id, { state, limit })) yield `  ${runItemLine(item)}`
  },
})

/** Command `cancel`; written records stay. */
const cancel = (scheduler: SchedulerPart): Command => ({
  name: 'cancel',
  words: '<run>',
  summary: 'ends a run, once the work in flight has ended',
  outlivesReader: true,
  complete: recentRuns(scheduler),
  run: async ({ words: [id = ''] }) => {
    const ended = await scheduler.launcher.cancel(runById(scheduler, id).id)
    return `run ${id} is ${stateText(ended)}`
  },
})

/** Commands `resume`, which continues a run, and `retry`, which starts a new one; both follow it to its end. */
const runAgain = (
  scheduler: SchedulerPart,
  name: 'resume' | 'retry',
  summary: string,
): Command => ({
  name,
  words: '<run>',
  summary,
  complete: recentRuns(scheduler),
  async *run({ words: [runId = ''] }, context) {
    const { id } = scheduler.launcher[name](runById(scheduler, runId).id)
    yield `run ${id}`
    yield* followRun(scheduler, id, context)
  },
})

/** Command `confirm`, for the latest complete run of a pipe only: a later one has read the source again. */
const confirm = (scheduler: SchedulerPart): Command => ({
  name: 'confirm',
  words: '<run>',
  summary: 'carries out the removals that a run holds back',
  outlivesReader: true,
  complete: recentRuns(scheduler),
  run: async ({ words: [id = ''] }, { signal }) => {
    const { counts, pipe } = runById(scheduler, id)
    if (counts.held === 0) throw new Failure('conflict', 'the run holds no removals back')
    if (scheduler.runs.lastComplete(pipe)?.id !== id)
      throw new Failure('conflict', 'it is not the latest complete run of its pipe')
    await scheduler.confirm(id, signal)
    return `${amount(counts.held, 'removal')} confirmed`
  },
})

/** Command `adopt`: records belong to the name of a pipe, so a renamed one owns none. */
const adopt = (scheduler: SchedulerPart): Command => ({
  name: 'adopt',
  words: '<pipe>',
  summary: 'hands the records of a renamed pipe over',
  outlivesReader: true,
  options: { from: { type: 'string', value: 'pipe', meaning: 'the name that the pipe had' } },
  complete: firstWord(() => pipeNames(scheduler)),
  run: async ({ words: [pipe = ''], text }, { signal }) => {
    const from = text('from')
    if (from === undefined)
      throw new Failure('invalid-parameter', 'say --from <pipe>: whose records they are now')
    const count = await scheduler.adopt({ pipe, from }, signal)
    return `${amount(count, 'record')} of ${from} belong to ${pipe} now`
  },
})

/** Command `dryrun`: prints what a run would change in each record, then problems and findings by kind. */
const dryRun = (scheduler: SchedulerPart): Command => ({
  name: 'dryrun',
  words: '<pipe>',
  summary: 'imports without writing and prints the report',
  options: countOption(100_000),
  complete: firstWord(() => pipeNames(scheduler)),
  async *run({ words: [pipe = ''], number }, context) {
    const limit = number('number') ?? 20
    const { id } = launchOrFail(scheduler, { pipe, startedBy: 'console', dryRun: true, limit })
    yield `run ${id}`
    const { problem } = yield* followRun(scheduler, id, context)
    for (const item of scheduler.runs.items(id, { limit })) yield* changeLines(item)
    yield* reportLines(scheduler.runs.report(id))
    if (problem) yield problemLine(problem)
  },
})

const keyLabels = { identifier: 'the same identifier', page: 'the same landing page' } as const

/** Command `duplicates`, across catalogues only: within one, records have different original ids. */
const duplicates = (scheduler: SchedulerPart): Command => ({
  name: 'duplicates',
  words: '[catalogue]',
  summary: 'lists harvested datasets of several catalogues that may be the same',
  options: countOption(100_000),
  async *run({ words: [catalogue], number }, { signal }) {
    const most = number('number') ?? 20
    let count = 0
    for await (const group of scheduler.duplicates(catalogue, signal)) {
      if (count === most) {
        yield 'and more'
        return
      }
      count += 1
      const names = group.map(
        (record) => `${record.platformId ?? record.originalId} in ${record.catalogue}`,
      )
      const [first] = group
      if (first) yield `${keyLabels[first.keyName]}: ${names.join(', ')}`
    }
    if (count === 0) yield 'nothing looks the same'
  },
})
