/** Commands that list, show and start pipes, and list and switch their triggers. */

import { Failure, invalidParameter } from '../errors.ts'
import { withConfigs } from '../pipe/pipe-check.ts'
import type { Configs } from '../pipe/document.ts'
import { hasEnded, type Run } from '../pipe/runs/run.ts'
import { isJsonObject, toJson } from '../text/json.ts'
import type { Command, CommandContext } from './command.ts'
import { firstWord, pipeNames, type RepositoryPart, type SchedulerPart } from './console-parts.ts'
import {
  amount,
  columns,
  countsText,
  problemLine,
  progressOf,
  stateText,
  triggerRow,
} from './text-output.ts'

/** Commands `pipes`, `pipe`, `reload`, `triggers`, `enable` and `disable`. */
export const pipeCommands = (scheduler: SchedulerPart): readonly Command[] => [
  pipes(scheduler),
  pipe(scheduler),
  reload(scheduler),
  triggers(scheduler),
  switchTrigger(scheduler, 'enable'),
  switchTrigger(scheduler, 'disable'),
]

const pipes = ({ pipes }: SchedulerPart): Command => ({
  name: 'pipes',
  summary: 'lists the pipes, and the files that hold none',
  run: () => {
    const rows = pipes.list().map(({ pipe, source, problems }) => {
      const segments = pipe.body.segments.map(({ header }) => header.name).join(' > ')
      const problemText = problems.map(({ detail }) => `! ${detail}`).join('; ')
      return [pipe.header.name, source, segments, problemText]
    })
    return [...columns(rows), ...invalidFiles(pipes)]
  },
})

const invalidFiles = (pipes: SchedulerPart['pipes']): readonly string[] =>
  pipes
    .invalid()
    .map(
      ({ source, file, problems }) =>
        `! ${source} ${file}: ${problems.map(({ detail }) => detail).join('; ')}`,
    )

/** Command `pipe`; secrets are masked because output of terminals is recorded. */
const pipe = (scheduler: SchedulerPart): Command => ({
  name: 'pipe',
  words: '<name> [show|launch]',
  summary: 'shows a pipe, or runs it now',
  complete: (words) => [pipeNames(scheduler), ['show', 'launch']][words.length] ?? [],
  run: ({ words: [name = '', action = 'show'] }, context) => {
    if (action === 'launch') return launchPipe(scheduler, { pipe: name }, context)
    if (action !== 'show')
      throw new Failure('invalid-parameter', `it is show or launch, not ${action.slice(0, 100)}`)
    const entry = scheduler.pipes.find(name)
    if (!entry)
      throw new Failure('unknown-pipe', `there is no pipe ${name.slice(0, 100)}; pipes lists all`)
    return [
      JSON.stringify(scheduler.mask(toJson(entry.pipe)), null, 2),
      `from ${entry.source} ${entry.file}, ${entry.trust}`,
      ...entry.problems.map(({ detail }) => `! ${detail}`),
    ]
  },
})

/** Command `reload`, which reads the sources before their next poll. */
const reload = ({ pipes }: SchedulerPart): Command => ({
  name: 'reload',
  summary: 'reads all pipe sources again',
  run: async (_, { signal }) => {
    await pipes.reload(signal)
    const invalid = invalidFiles(pipes)
    const counts = `${amount(pipes.list().length, 'pipe')}, ${amount(invalid.length, 'file')} not valid`
    return [counts, ...invalid]
  },
})

const triggers = ({ triggers, pipes }: SchedulerPart): Command => ({
  name: 'triggers',
  words: '[pipe]',
  summary: 'lists triggers with their next and last firing',
  complete: firstWord(() => [...triggers.all().keys()]),
  run: ({ words: [name] }) => {
    const names = name === undefined ? [...triggers.all().keys()] : [nameOf(pipes, name)]
    const rows = names.flatMap((pipe) =>
      triggers.of(pipe).map((trigger) => triggerRow(pipe, trigger)),
    )
    return rows.length === 0 ? 'no triggers' : columns(rows)
  },
})

/** Commands `enable` and `disable`, also for triggers of a pipe that is gone. */
const switchTrigger = (
  { triggers, pipes }: SchedulerPart,
  name: 'enable' | 'disable',
): Command => ({
  name,
  words: '<pipe> <trigger>',
  summary: `switches a trigger ${name === 'enable' ? 'on' : 'off'}`,
  complete: ([pipe, ...furtherWords]) => {
    if (pipe === undefined) return [...triggers.all().keys()]
    return furtherWords.length === 0 ? triggers.of(nameOf(pipes, pipe)).map(({ id }) => id) : []
  },
  run: ({ words: [pipe = '', id = ''] }) => {
    triggers.setStatus(nameOf(pipes, pipe), id, `${name}d`)
    return `trigger ${id} of ${pipe} is ${name}d`
  },
})

/** Name of a pipe given by name or id; a pipe that is gone is found by its name. */
const nameOf = (pipes: SchedulerPart['pipes'], nameOrId: string): string =>
  pipes.find(nameOrId)?.pipe.header.name ?? nameOrId

// Launches.

/** Command `launch`: `<pipe> [configs]` starts a pipe, `<catalogue> <pipe>` sends the datasets of a catalogue through a pipe. */
export const launchCommand = (
  scheduler: SchedulerPart | undefined,
  repository: RepositoryPart | undefined,
): Command => ({
  name: 'launch',
  words: '<pipe> [json configs] | <catalogue> <pipe>',
  summary: 'runs a pipe now, or sends every dataset of a catalogue through one',
  options: {
    pulse: {
      short: 'p',
      type: 'string',
      value: 'ms',
      range: [0, 3_600_000],
      meaning: 'milliseconds between two datasets of a catalogue',
    },
    update: {
      short: 'u',
      type: 'boolean',
      meaning: 'includes the present metrics of each dataset',
    },
    verbose: {
      short: 'v',
      type: 'boolean',
      meaning: 'shows more; of a catalogue: its progress, to the end',
    },
  },
  complete: () => (scheduler ? pipeNames(scheduler) : []),
  async *run({ words: [first = '', second], number, flag }, context) {
    const verbose = flag('verbose')
    // The wording is that of piveau.
    const unknownPipe = (pipe: string) => new Failure('unknown-pipe', `Pipe ${pipe} not available`)
    if (second === undefined || second.startsWith('{')) {
      if (!scheduler) throw unknownPipe(first)
      const configs = second === undefined ? undefined : configsOf(second)
      yield* launchPipe(scheduler, { pipe: first, configs, verbose }, context)
      return
    }
    if (!repository?.launch) throw unknownPipe(second)
    const { datasets, run } = await repository.launch(
      {
        catalogue: first,
        pipe: second,
        pulseMs: number('pulse') ?? 0,
        withMetrics: flag('update'),
      },
      context.signal,
    )
    yield `${amount(datasets, 'dataset')} found\nrun ${run}`
    if (verbose && scheduler) yield* followRun(scheduler, run, context)
  },
})

type PipeLaunch = {
  readonly pipe: string
  readonly configs?: Configs
  readonly verbose?: boolean
}

/** Starts a pipe and follows its run, which goes on when the reader leaves. Throws `Failure`. */
async function* launchPipe(
  scheduler: SchedulerPart,
  { pipe: nameOrId, configs, verbose = false }: PipeLaunch,
  context: CommandContext,
): AsyncGenerator<string, void> {
  const entry = scheduler.pipes.find(nameOrId)
  if (!entry) throw new Failure('unknown-pipe', `Pipe ${nameOrId.slice(0, 100)} not available`)
  if (configs) withConfigs(entry.pipe, configs)
  const { name: pipe } = entry.pipe.header
  const run = launchOrFail(scheduler, { pipe, startedBy: 'console', configs })
  yield `run ${run.id}`
  if (verbose)
    for (const { name, segmentNumber } of run.segments) yield `segment ${segmentNumber} ${name}`
  requireRecords(yield* followRun(scheduler, run.id, context))
}

/** Launches a pipe and returns its run. Throws `conflict` when the pipe is active. */
export function launchOrFail(
  { launcher }: SchedulerPart,
  launch: Parameters<SchedulerPart['launcher']['launch']>[0],
): Run {
  const launched = launcher.launch(launch)
  if ('run' in launched) return launched.run
  throw new Failure('conflict', `the pipe is active already: run ${launched.dropped.id}`)
}

/** Throws `source-empty` when a run started by hand, which has a catalogue, met no record there. */
function requireRecords({ catalogue, counts, outcome, problem }: Run): void {
  const { created, updated, unchanged, removed, held, adopted } = counts
  const hasRecords = created + updated + unchanged + removed + held + adopted > 0
  // An incremental run without news is no problem.
  const mayBeEmpty = outcome === 'not-modified' || (outcome === 'incomplete' && !problem)
  if (hasRecords || mayBeEmpty || catalogue === undefined) return
  const why = problem ? `: ${problemLine(problem)}` : ''
  throw new Failure('source-empty', `the run brought no record${why}`)
}

/** Parses configs of segments. Throws `invalid-parameter`. */
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

/** Yields progress and end of a run. Throws `Failure` when it did not finish. */
export async function* followRun(
  scheduler: SchedulerPart,
  id: string,
  { progress, signal }: CommandContext,
): AsyncGenerator<string, Run> {
  let latest = runById(scheduler, id)
  for await (const run of scheduler.runs.follow(id, signal)) {
    latest = run
    if (!hasEnded(run)) progress(progressOf(run))
  }
  signal.throwIfAborted()
  if (hasEnded(latest)) yield progressOf(latest)
  yield `run ${id} is ${stateText(latest)}: ${countsText(latest)}`
  if (latest.status === 'finished') return latest
  const why = latest.problem ? `: ${problemLine(latest.problem)}` : ''
  throw new Failure('conflict', `the run is ${latest.status}${why}`)
}

/** Returns a run by its id. Throws `unknown-run`. */
export function runById({ runs }: SchedulerPart, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}
