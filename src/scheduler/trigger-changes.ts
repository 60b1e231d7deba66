/** Carries out what a client wants of the triggers: checks all of it, then keeps, then starts what starts at once. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown, invalidParameter } from '../errors.ts'
import { defined } from '../pipe/defined.ts'
import { configured } from '../pipe/pipe-check.ts'
import type { Pipe } from '../pipe/document.ts'
import type { Run } from '../pipe/runs/run.ts'
import type { SchedulerContext } from './scheduler-contract.ts'
import { isMasked, unmaskedConfigs } from './masking.ts'
import { triggerAnswer, type TriggerEntry, type Sets } from './trigger-input.ts'
import type { Trigger } from './trigger.ts'

/** What a pipe is to have, checked: triggers to keep, and launches that start at once. */
export type TriggerChange = { readonly pipe: string; readonly entries: readonly TriggerEntry[] }

/** Throws `unknown-pipe` naming all that are unknown, `invalid-parameter` for configs that fit no segment. */
export function triggerChanges(context: SchedulerContext, sets: Sets): readonly TriggerChange[] {
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

/** Names all of them, because the client has to mend all before anything is changed. */
export const unknownPipes = (names: readonly string[]): Failure =>
  new Failure('unknown-pipe', `there is no pipe ${names.slice(0, 10).map(shown).join(', ')}`, {
    errors: names.map((name) => ({ detail: `there is no pipe ${shown(name)}` })),
  })

/** `run` is the address of the active one. */
export function conflicting(pipe: string, run?: string): Failure {
  const detail = `a run of ${shown(pipe)} is active: wait for its end, or send a startMode (restart, append or concurrent)`
  const headers = run === undefined ? {} : { Link: `<${run}>; rel="run"` }
  return new Failure('conflict', detail, { headers })
}

/** The runs that were started; a launch that was dropped has none. */
export function launchAll(
  { launcher }: SchedulerContext,
  changes: readonly TriggerChange[],
): readonly Run[] {
  return changes.flatMap(({ pipe, entries }) =>
    entries.flatMap((entry) => {
      if (isKept(entry)) return []
      const { timing: _, id: trigger, ...request } = entry
      const launched = launcher.launch({ pipe, startedBy: 'api', trigger, ...request })
      return 'run' in launched ? [launched.run] : []
    }),
  )
}

/** Nothing but launches leaves the kept triggers as they are. */
export function leavesAll(changes: readonly TriggerChange[]): boolean {
  const entries = changes.flatMap((change) => change.entries)
  return entries.length > 0 && !entries.some(isKept)
}

/** Those that are stored, without those that start at once. */
export const keptOf = ({ entries }: TriggerChange): readonly Trigger[] => entries.filter(isKept)

/** The entries with secrets in place of what was shown of them. Throws `invalid-parameter`. */
function changeOf(
  { triggers }: SchedulerContext,
  pipe: Pipe,
  entries: readonly TriggerEntry[],
): TriggerChange {
  const { name } = pipe.header
  const before = triggers.of(name)
  const read = entries.map((entry): TriggerEntry => {
    if (!entry.configs) return entry
    const old = before.find(({ id }) => id === entry.id)
    const configs = unmaskedConfigs(entry.configs, old?.configs)
    if (isMasked(configs)) {
      const detail = `a config of ${shown(entry.id)} holds ••• instead of a secret: send the secret itself, or {"secret":"name"}`
      throw invalidParameter('configs', detail)
    }
    configured(pipe, configs)
    return { ...entry, configs }
  })
  return { pipe: name, entries: read }
}

/** The triggers of a pipe that is gone, when nothing of them is to change: all triggers can be read and sent again. */
function unchanged(
  { triggers }: SchedulerContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange | undefined {
  const kept = triggers.of(pipe)
  const isSame = kept.length > 0 && isDeepStrictEqual(entries.map(asSent), kept.map(asSent))
  return isSame ? { pipe, entries: kept } : undefined
}

/** As a client sends a trigger and reads it, but for its firings. */
function asSent(entry: TriggerEntry) {
  if (!isKept(entry)) return undefined
  const { id, status, timing, configs, startMode } = entry
  return triggerAnswer({
    id,
    status,
    timing,
    ...defined({ configs, startMode }),
    pipe: '',
    since: 0,
  })
}

/** Whether the entry is stored; one without any time starts a run at once and is not. */
const isKept = (entry: TriggerEntry): entry is Trigger => entry.timing !== 'immediate'
