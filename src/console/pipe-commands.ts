/** Commands about pipes and their triggers. */

import { Failure } from '../errors.ts'
import type { JsonObject } from '../text/json.ts'
import type { Command } from './command.ts'
import { firstWord, pipeNames, type SchedulerPart } from './console-parts.ts'
import { launchPipe } from './run-commands.ts'
import { amount, columns, triggerRow } from './text-output.ts'

/** `pipes`, `pipe`, `reload`, `triggers`, `enable` and `disable`. */
export const pipeCommands = (scheduler: SchedulerPart): readonly Command[] => [
  pipes(scheduler),
  pipe(scheduler),
  reload(scheduler),
  triggers(scheduler),
  turn(scheduler, 'enable'),
  turn(scheduler, 'disable'),
]

const pipes = ({ pipes }: SchedulerPart): Command => ({
  name: 'pipes',
  does: 'lists the pipes, and the files that hold none',
  run: () => {
    const rows = pipes.list().map(({ pipe, source, problems }) => {
      const segments = pipe.body.segments.map(({ header }) => header.name).join(' > ')
      const wrong = problems.map(({ detail }) => `! ${detail}`).join('; ')
      return [pipe.header.name, source, segments, wrong]
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

/** Secrets are masked, because terminals are recorded and seen by others. */
const pipe = (scheduler: SchedulerPart): Command => ({
  name: 'pipe',
  words: '<name> [show|launch]',
  least: 1,
  most: 2,
  does: 'shows a pipe, or runs it now',
  complete: (words) => [pipeNames(scheduler), ['show', 'launch']][words.length] ?? [],
  run: ({ words: [name = '', what = 'show'] }, context) => {
    if (what === 'launch') return launchPipe(scheduler, { pipe: name }, context)
    if (what !== 'show')
      throw new Failure('invalid-parameter', `it is show or launch, not ${what.slice(0, 100)}`)
    const known = scheduler.pipes.find(name)
    if (!known)
      throw new Failure('unknown-pipe', `there is no pipe ${name.slice(0, 100)}; pipes lists all`)
    const document: JsonObject = JSON.parse(JSON.stringify(known.pipe))
    return [
      JSON.stringify(scheduler.masked(document), null, 2),
      `from ${known.source} ${known.file}, ${known.trust}`,
      ...known.problems.map(({ detail }) => `! ${detail}`),
    ]
  },
})

/** For those who do not want to wait for the next look at the sources. */
const reload = ({ pipes }: SchedulerPart): Command => ({
  name: 'reload',
  does: 'reads all pipe sources again',
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
  most: 1,
  does: 'lists triggers with their next and last firing',
  complete: firstWord(() => [...triggers.all().keys()]),
  run: ({ words: [name] }) => {
    const names = name === undefined ? [...triggers.all().keys()] : [nameOf(pipes, name)]
    const rows = names.flatMap((pipe) => triggers.of(pipe).map((one) => triggerRow(pipe, one)))
    return rows.length === 0 ? 'no triggers' : columns(rows)
  },
})

/** A trigger of a pipe that is gone can still be switched off. */
const turn = ({ triggers, pipes }: SchedulerPart, name: 'enable' | 'disable'): Command => ({
  name,
  words: '<pipe> <trigger>',
  least: 2,
  does: `switches a trigger ${name === 'enable' ? 'on' : 'off'}`,
  complete: ([pipe, ...more]) => {
    if (pipe === undefined) return [...triggers.all().keys()]
    return more.length === 0 ? triggers.of(nameOf(pipes, pipe)).map(({ id }) => id) : []
  },
  run: ({ words: [pipe = '', id = ''] }) => {
    triggers.turn(nameOf(pipes, pipe), id, `${name}d`)
    return `trigger ${id} of ${pipe} is ${name}d`
  },
})

/** Triggers outlive their pipe: where it is gone its name still finds them. */
const nameOf = (pipes: SchedulerPart['pipes'], nameOrId: string): string =>
  pipes.find(nameOrId)?.pipe.header.name ?? nameOrId
