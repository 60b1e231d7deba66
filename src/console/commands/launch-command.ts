/** `launch`: one word starts a pipe, two words send a catalogue through one. */

import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { pipeNames, type RepositoryPart, type SchedulerPart } from '../console-parts.ts'
import { Failure } from '../../errors.ts'
import { configured } from '../../pipe/configure.ts'
import type { Configs } from '../../pipe/document.ts'
import type { Run } from '../../pipe/runs/run.ts'
import type { Command, Io } from '../command.ts'
import { amount, problemLine } from '../text-output.ts'
import { followRun, knownRun, type RunGround } from './run-commands.ts'

type Ground = {
  readonly scheduler: SchedulerPart | undefined
  readonly repository: RepositoryPart | undefined
  readonly now: () => number
}

export const launchCommand = ({ scheduler, repository, now }: Ground): Command => ({
  name: 'launch',
  words: '<pipe> [json configs] | <catalogue> <pipe>',
  least: 1,
  most: 2,
  does: 'runs a pipe now, or sends every dataset of a catalogue through one',
  options: {
    pulse: {
      short: 'p',
      kind: 'number',
      value: 'ms',
      least: 0,
      most: 3_600_000,
      means: 'milliseconds between two datasets of a catalogue',
    },
    update: {
      short: 'u',
      kind: 'flag',
      means: 'the present metrics of a dataset go along',
    },
    verbose: {
      short: 'v',
      kind: 'flag',
      means: 'tells more; of a catalogue: how far it is, to the end',
    },
  },
  complete: (words) => (words.length < 2 ? pipeNames(scheduler) : []),
  run: async ({ words: [first = '', second], number, flag }, io, signal) => {
    const verbose = flag('verbose')
    if (second === undefined || second.startsWith('{')) {
      if (!scheduler) throw new Failure('unknown-pipe', `Pipe ${first} not available`)
      const configs = second === undefined ? undefined : configsOf(second)
      return launchPipe({ scheduler, now }, { pipe: first, configs, verbose }, io, signal)
    }
    // The words of the contract: clients look for them.
    if (!repository?.launch) throw new Failure('unknown-pipe', `Pipe ${second} not available`)
    const [pulseMs, withMetrics] = [number('pulse') ?? 0, flag('update')]
    const wish = { catalogue: first, pipe: second, pulseMs, withMetrics }
    const { found, run } = await repository.launch(wish, signal)
    await io.say(`${amount(found, 'dataset')} found\nrun ${run}`)
    if (verbose && scheduler)
      await followRun({ scheduler, now }, knownRun(scheduler, run), io, signal)
  },
})

type PipeLaunch = {
  readonly pipe: string
  readonly configs?: Configs | undefined
  readonly verbose?: boolean
}

/** Starts a pipe and watches it; who leaves does not end it. Throws `Failure`. */
export async function launchPipe(
  ground: RunGround,
  { pipe: nameOrId, configs, verbose = false }: PipeLaunch,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const { pipes, launcher } = ground.scheduler
  const known = pipes.find(nameOrId)
  if (!known) throw new Failure('unknown-pipe', `Pipe ${nameOrId.slice(0, 100)} not available`)
  if (configs) configured(known.pipe, configs)
  const launched = launcher.launch({
    pipe: known.pipe.header.name,
    startedBy: 'console',
    ...(configs && { configs }),
  })
  if ('dropped' in launched)
    throw new Failure('conflict', `the pipe is active already: run ${launched.dropped.id}`)
  const { run } = launched
  await io.say(`run ${run.id}`)
  if (verbose)
    for (const { name, segmentNumber } of run.segments)
      await io.say(`segment ${segmentNumber} ${name}`)
  demandSomething(await followRun(ground, run, io, signal))
}

/** Whoever starts a harvest by hand wants to hear it when nothing came. Throws `source-empty`. */
function demandSomething({ catalogue, counts, outcome, problem }: Run): void {
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
  const value = parsed(text)
  const isConfigs = isJsonObject(value) && Object.values(value).every(isJsonObject)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse makes is JSON
  if (isConfigs) return value as Readonly<Record<string, JsonObject>>
  throw wrong('configs are a JSON object of segment name → object')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrong('configs are not valid JSON', cause)
  }
}

const wrong = (detail: string, cause?: unknown): Failure =>
  new Failure('invalid-parameter', detail, { errors: [{ parameter: 'configs', detail }], cause })
