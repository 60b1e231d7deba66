/** Carries out what a client wants of the triggers: checks all of it, then keeps, then starts what starts at once. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown, invalidParameter } from '../errors.ts'
import { configured } from '../pipe/pipe-check.ts'
import type { Pipe } from '../pipe/document.ts'
import type { Run } from '../pipe/runs/run.ts'
import type { SchedulerContext } from './scheduler-context.ts'
import { isMasked, unmaskedConfigs } from './masking.ts'
import type { TriggerEntry, Sets } from './trigger-input.ts'
import type { Request, Trigger } from './trigger.ts'

type ChangeContext = Pick<SchedulerContext, 'pipes' | 'launcher' | 'triggers'>

/** The triggers to keep and the launches to make of one pipe. */
export type TriggerChange = {
  readonly pipe: string
  readonly kept: readonly Trigger[]
  readonly launches: readonly (Request & { readonly id: string })[]
}

/** Throws `unknown-pipe` naming all that are unknown, `invalid-parameter` for configs that fit no segment. */
export function triggerChanges(context: ChangeContext, sets: Sets): readonly TriggerChange[] {
  const unknown: string[] = []
  const changes = [...sets].flatMap(([name, entries]) => {
    const pipe = context.pipes.find(name)?.pipe
    const change = pipe ? changeOf(context, pipe, entries) : unchanged(context, name, entries)
    if (!change) unknown.push(name)
    return change ? [change] : []
  })
  if (unknown.length > 0) throw unknownPipes(unknown)
  const names = changes.map(({ pipe }) => pipe)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return changes
  const detail = `the pipe ${shown(twice)} is named twice, by its name and by its id`
  throw new Failure('invalid-parameter', detail, { errors: [{ detail }] })
}

export const unknownPipes = (names: readonly string[]): Failure =>
  new Failure('unknown-pipe', `there is no pipe ${names.slice(0, 10).map(shown).join(', ')}`, {
    errors: names.map((name) => ({ detail: `there is no pipe ${shown(name)}` })),
  })

/** `run` is the address of the active one. */
export function conflicting(pipe: string, run?: string): Failure {
  const detail = `a run of ${shown(pipe)} is active; startMode says what else to do`
  const headers = run === undefined ? {} : { Link: `<${run}>; rel="run"` }
  return new Failure('conflict', detail, { headers })
}

/** The runs that were started; a launch that was dropped has none. */
export function launchAll(
  { launcher }: ChangeContext,
  changes: readonly TriggerChange[],
): readonly Run[] {
  return changes.flatMap(({ pipe, launches }) =>
    launches.flatMap(({ id, ...request }) => {
      const launched = launcher.launch({ pipe, startedBy: 'api', trigger: id, ...request })
      return 'run' in launched ? [launched.run] : []
    }),
  )
}

/** Nothing but launches leaves the kept triggers as they are. */
export const leavesAll = (changes: readonly TriggerChange[]): boolean =>
  changes.every(({ kept }) => kept.length === 0) &&
  changes.some(({ launches }) => launches.length > 0)

function changeOf(
  { triggers }: ChangeContext,
  pipe: Pipe,
  entries: readonly TriggerEntry[],
): TriggerChange {
  const { name } = pipe.header
  const before = triggers.of(name)
  const read = entries.map((entry): TriggerEntry => {
    if (!entry.configs) return entry
    const old = before.find(({ id }) => id === entry.id)
    const configs = unmaskedConfigs(entry.configs, old?.configs)
    if (isMasked(configs)) throw stillMasked(entry.id)
    configured(pipe, configs)
    return { ...entry, configs }
  })
  const launches = read.flatMap((entry) => {
    if (isKept(entry)) return []
    const { timing: _, ...launch } = entry
    return [launch]
  })
  return { pipe: name, kept: read.filter(isKept), launches }
}

/** The triggers of a pipe that is gone, when nothing of them is to change: all triggers can be read and sent again. */
function unchanged(
  { triggers }: ChangeContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange | undefined {
  const kept = triggers.of(pipe)
  const isSame =
    kept.length > 0 &&
    entries.length === kept.length &&
    kept.every((old, at) => isDeepStrictEqual(tellable(old), tellable(entries[at], old)))
  return isSame ? { pipe, kept, launches: [] } : undefined
}

/** What a client can tell of the trigger of a pipe that is gone: the first firing is not among it. */
function tellable(entry: TriggerEntry | undefined, old?: Trigger) {
  if (!entry || !isKept(entry)) return undefined
  const { id, status, configs, startMode, timing } = entry
  const { anchor: _, notBefore: __, ...rhythm } = { anchor: 0, notBefore: 0, ...timing }
  return {
    id,
    status,
    startMode,
    rhythm,
    configs: configs && unmaskedConfigs(configs, old?.configs),
  }
}

const isKept = (entry: TriggerEntry): entry is Trigger => entry.timing !== 'immediate'

function stillMasked(id: string): Failure {
  const detail = `a config of ${shown(id)} holds ••• in place of a secret that is not known: send the secret or {"secret":"name"}`
  return invalidParameter('configs', detail)
}
