/** Commands that start runs, watch them and tell about them. */

import { Failure, invalidParameter } from '../errors.ts'
import { configured } from '../pipe/pipe-check.ts'
import type { Configs } from '../pipe/document.ts'
import { ended, type ItemState, type Run } from '../pipe/runs/run.ts'
import { isJsonObject } from '../text/json.ts'
import type { Command, CommandContext } from './command.ts'
import { firstWord, pipeNames, type RepositoryPart, type SchedulerPart } from './console-parts.ts'
import {
  amount,
  changeLines,
  columns,
  countsText,
  problemLine,
  progressOf,
  reportLines,
  runItemLine,
  runLines,
  runRow,
  stateText,
} from './text-output.ts'

/** Everything about runs but `launch`, which the repository has too. */
export const runCommands = (scheduler: SchedulerPart): readonly Command[] => [
  runs(scheduler),
  run(scheduler),
  cancel(scheduler),
  again(scheduler, 'resume', 'continues a run that was interrupted'),
  again(scheduler, 'retry', 'runs again what failed in a run'),
  confirm(scheduler),
  adopt(scheduler),
  duplicates(scheduler),
  dryRun(scheduler),
]

/** One word starts a pipe, two words send a catalogue through one. */
export const launchCommand = (
  scheduler: SchedulerPart | undefined,
  repository: RepositoryPart | undefined,
): Command => ({
  name: 'launch',
  words: '<pipe> [json configs] | <catalogue> <pipe>',
  least: 1,
  most: 2,
  does: 'runs a pipe now, or sends every dataset of a catalogue through one',
  options: {
    pulse: {
      short: 'p',
      type: 'string',
      value: 'ms',
      range: [0, 3_600_000],
      means: 'milliseconds between two datasets of a catalogue',
    },
    update: { short: 'u', type: 'boolean', means: 'includes the present metrics of each dataset' },
    verbose: {
      short: 'v',
      type: 'boolean',
      means: 'shows more; of a catalogue: its progress, to the end',
    },
  },
  complete: () => (scheduler ? pipeNames(scheduler) : []),
  async *run({ words: [first = '', second], number, flag }, context) {
    const verbose = flag('verbose')
    // The words of the contract: clients look for them.
    const missing = (pipe: string) => new Failure('unknown-pipe', `Pipe ${pipe} not available`)
    if (second === undefined || second.startsWith('{')) {
      if (!scheduler) throw missing(first)
      const configs = second === undefined ? undefined : configsOf(second)
      yield* launchPipe(scheduler, { pipe: first, configs, verbose }, context)
      return
    }
    if (!repository?.launch) throw missing(second)
    const { found, run } = await repository.launch(
      {
        catalogue: first,
        pipe: second,
        pulseMs: number('pulse') ?? 0,
        withMetrics: flag('update'),
      },
      context.signal,
    )
    yield `${amount(found, 'dataset')} found\nrun ${run}`
    if (verbose && scheduler) yield* followRun(scheduler, run, context)
  },
})

type PipeLaunch = {
  readonly pipe: string
  readonly configs?: Configs | undefined
  readonly verbose?: boolean
}

/** Starts a pipe and watches it; who leaves does not end it. Throws `Failure`. */
export async function* launchPipe(
  scheduler: SchedulerPart,
  { pipe: nameOrId, configs, verbose = false }: PipeLaunch,
  context: CommandContext,
): AsyncGenerator<string, void> {
  const known = scheduler.pipes.find(nameOrId)
  if (!known) throw new Failure('unknown-pipe', `Pipe ${nameOrId.slice(0, 100)} not available`)
  if (configs) configured(known.pipe, configs)
  const { name: pipe } = known.pipe.header
  const run = launched(scheduler, { pipe, startedBy: 'console', ...(configs && { configs }) })
  yield `run ${run.id}`
  if (verbose)
    for (const { name, segmentNumber } of run.segments) yield `segment ${segmentNumber} ${name}`
  demandRecords(yield* followRun(scheduler, run.id, context))
}

/** Throws `conflict` when the pipe is active. */
function launched(
  { launcher }: SchedulerPart,
  launch: Parameters<SchedulerPart['launcher']['launch']>[0],
): Run {
  const started = launcher.launch(launch)
  if ('run' in started) return started.run
  throw new Failure('conflict', `the pipe is active already: run ${started.dropped.id}`)
}

/** Whoever starts a harvest by hand wants to hear it when nothing came. Throws `source-empty`. */
function demandRecords({ catalogue, counts, outcome, problem }: Run): void {
  const { created, updated, unchanged, removed, held, adopted } = counts
  const some = created + updated + unchanged + removed + held + adopted > 0
  // An incremental run without news has no problem.
  const isFine = outcome === 'not-modified' || (outcome === 'incomplete' && !problem)
  if (some || isFine || catalogue === undefined) return
  const why = problem ? `: ${problemLine(problem)}` : ''
  throw new Failure('source-empty', `the run brought no record${why}`)
}

/** Throws `invalid-parameter`. */
function configsOf(text: string): Configs {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidParameter('configs', 'configs are not valid JSON')
  }
  if (isJsonObject(value) && Object.values(value).every(isJsonObject))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse makes is JSON
    return value as Configs
  throw invalidParameter('configs', 'configs are a JSON object of segment name → object')
}

/** The progress and the end; throws `Failure` when the run did not finish. */
async function* followRun(
  scheduler: SchedulerPart,
  id: string,
  { progress, signal }: CommandContext,
): AsyncGenerator<string, Run> {
  let last = knownRun(scheduler, id)
  for await (const run of scheduler.runs.follow(id, signal)) {
    last = run
    if (!ended(run)) progress(progressOf(run))
  }
  signal.throwIfAborted()
  if (ended(last)) yield progressOf(last)
  yield `run ${id} is ${stateText(last)}: ${countsText(last)}`
  if (last.status === 'finished') return last
  const why = last.problem ? `: ${problemLine(last.problem)}` : ''
  throw new Failure('conflict', `the run is ${last.status}${why}`)
}

/** Throws `unknown-run`. */
function knownRun({ runs }: SchedulerPart, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}

const countOption = (most: number) =>
  ({
    number: {
      short: 'n',
      type: 'string',
      value: 'count',
      range: [1, most],
      means: 'at most, 20 by default',
    },
  }) as const

/** Ids are long: nobody types one. */
const recentRuns = ({ runs }: SchedulerPart) =>
  firstWord(() => runs.list({ offset: 0, limit: 50 }).map(({ id }) => id))

const runs = (scheduler: SchedulerPart): Command => ({
  name: 'runs',
  words: '[pipe]',
  most: 1,
  does: 'lists runs, newest first',
  options: countOption(1000),
  complete: firstWord(() => pipeNames(scheduler)),
  run: ({ words: [pipe], number }) => {
    const limit = number('number') ?? 20
    const found = scheduler.runs.list({ ...(pipe !== undefined && { pipe }), offset: 0, limit })
    return found.length === 0 ? 'no runs' : columns(found.map(runRow))
  },
})

/** What of a run people ask for first. */
const badStates: readonly ItemState[] = ['failed', 'refused', 'duplicate', 'held']

const run = (scheduler: SchedulerPart): Command => ({
  name: 'run',
  words: '<id>',
  least: 1,
  does: 'shows a run and what failed in it',
  options: countOption(1000),
  complete: recentRuns(scheduler),
  *run({ words: [id = ''], number }) {
    yield* runLines(knownRun(scheduler, id))
    const limit = number('number') ?? 20
    for (const state of badStates)
      for (const item of scheduler.runs.items(id, { state, limit })) yield `  ${runItemLine(item)}`
  },
})

/** What has been written stays. */
const cancel = (scheduler: SchedulerPart): Command => ({
  name: 'cancel',
  words: '<run>',
  least: 1,
  does: 'ends a run, once the work in flight has ended',
  lasts: true,
  complete: recentRuns(scheduler),
  run: async ({ words: [id = ''] }) => {
    const after = await scheduler.launcher.cancel(knownRun(scheduler, id).id)
    return `run ${id} is ${stateText(after)}`
  },
})

/** A new run for `retry`, the same one for `resume`; both are watched to their end. */
const again = (scheduler: SchedulerPart, name: 'resume' | 'retry', does: string): Command => ({
  name,
  words: '<run>',
  least: 1,
  does,
  complete: recentRuns(scheduler),
  async *run({ words: [given = ''] }, context) {
    const { id } = scheduler.launcher[name](knownRun(scheduler, given).id)
    yield `run ${id}`
    yield* followRun(scheduler, id, context)
  },
})

/** Only of the latest complete run: a later one has looked at the source again. */
const confirm = (scheduler: SchedulerPart): Command => ({
  name: 'confirm',
  words: '<run>',
  least: 1,
  does: 'carries out the removals that a run holds back',
  lasts: true,
  complete: recentRuns(scheduler),
  run: async ({ words: [id = ''] }, { signal }) => {
    const { counts, pipe } = knownRun(scheduler, id)
    if (counts.held === 0) throw new Failure('conflict', 'the run holds no removals back')
    if (scheduler.runs.lastComplete(pipe)?.id !== id)
      throw new Failure('conflict', 'it is not the latest complete run of its pipe')
    await scheduler.confirm(id, signal)
    return `${amount(counts.held, 'removal')} confirmed`
  },
})

/** Ownership is by the name of the pipe, so that a new name owns nothing. */
const adopt = (scheduler: SchedulerPart): Command => ({
  name: 'adopt',
  words: '<pipe>',
  least: 1,
  does: 'hands the records of a renamed pipe over',
  lasts: true,
  options: { from: { type: 'string', value: 'pipe', means: 'the name that the pipe had' } },
  complete: firstWord(() => pipeNames(scheduler)),
  run: async ({ words: [pipe = ''], text }, { signal }) => {
    const from = text('from')
    if (from === undefined)
      throw new Failure('invalid-parameter', 'say --from <pipe>: whose records they are now')
    const count = await scheduler.adopt({ pipe, from }, signal)
    return `${amount(count, 'record')} of ${from} belong to ${pipe} now`
  },
})

/** Prints for each record what a real run would change, then problems and findings by kind. */
const dryRun = (scheduler: SchedulerPart): Command => ({
  name: 'dryrun',
  words: '<pipe>',
  least: 1,
  does: 'imports without writing and prints the report',
  options: countOption(100_000),
  complete: firstWord(() => pipeNames(scheduler)),
  async *run({ words: [pipe = ''], number }, context) {
    const limit = number('number') ?? 20
    const { id } = launched(scheduler, { pipe, startedBy: 'console', dryRun: true, limit })
    yield `run ${id}`
    const { problem } = yield* followRun(scheduler, id, context)
    for (const item of scheduler.runs.items(id, { limit })) yield* changeLines(item)
    yield* reportLines(scheduler.runs.report(id))
    if (problem) yield problemLine(problem)
  },
})

const marks = { identifier: 'the same identifier', page: 'the same landing page' } as const

/** Across catalogues only: within one the original id tells records apart. */
const duplicates = (scheduler: SchedulerPart): Command => ({
  name: 'duplicates',
  words: '[catalogue]',
  most: 1,
  does: 'lists harvested datasets of several catalogues that may be the same',
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
      const names = group.map((one) => `${one.platformId ?? one.originalId} in ${one.catalogue}`)
      const [first] = group
      if (first) yield `${marks[first.mark]}: ${names.join(', ')}`
    }
    if (count === 0) yield 'nothing looks the same'
  },
})
