/** Validates requested changes of triggers and launches entries without a time; `trigger-routes.ts` stores the others. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown, invalidParameter } from '../errors.ts'
import { withConfigs } from '../pipe/pipe-check.ts'
import type { Pipe } from '../pipe/document.ts'
import type { Run } from '../pipe/runs/run.ts'
import type { SchedulerContext } from './scheduler-contract.ts'
import { containsMask, restoreSecrets } from './masking.ts'
import { triggerAnswer, type TriggerEntry, type TriggerSets } from './trigger-input.ts'
import type { Trigger } from './trigger.ts'

/** Validated new entries of a pipe: triggers to store, and launches. */
export type TriggerChange = { readonly pipe: string; readonly entries: readonly TriggerEntry[] }

/**
 * Validates sets of entries and restores their masked secrets. Throws `unknown-pipe` with all unknown names, `invalid-parameter`
 * for configs that match no segment, for a mask without a stored secret, and for a pipe that is named twice.
 */
export function triggerChanges(
  context: SchedulerContext,
  sets: TriggerSets,
): readonly TriggerChange[] {
  const unknown: string[] = []
  const changes = [...sets].flatMap(([name, entries]) => {
    const pipe = context.pipes.find(name)?.pipe
    const change = pipe
      ? changeOf(context, pipe, entries)
      : unchangedTriggers(context, name, entries)
    if (!change) unknown.push(name)
    return change ? [change] : []
  })
  if (unknown.length > 0) throw unknownPipes(unknown)
  const names = changes.map(({ pipe }) => pipe)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate === undefined) return changes
  const detail = `the pipe ${shown(duplicate)} is named twice, by its name and by its id`
  throw new Failure('invalid-parameter', detail, { errors: [{ detail }] })
}

/** Failure with all unknown pipes, because the client has to correct all of them. */
export const unknownPipes = (names: readonly string[]): Failure =>
  new Failure('unknown-pipe', `there is no pipe ${names.slice(0, 10).map(shown).join(', ')}`, {
    errors: names.map((name) => ({ detail: `there is no pipe ${shown(name)}` })),
  })

/** Failure for an active pipe; `run` is the URL of its run. */
export function pipeActive(pipe: string, run?: string): Failure {
  const detail = `a run of ${shown(pipe)} is active: wait for its end, or send a startMode (restart, append or concurrent)`
  const headers: Record<string, string> = run === undefined ? {} : { Link: `<${run}>; rel="run"` }
  return new Failure('conflict', detail, { headers })
}

/** Launches the immediate entries and returns the started runs; a dropped launch has none. */
export function launchAll(
  { launcher }: SchedulerContext,
  changes: readonly TriggerChange[],
): readonly Run[] {
  return changes.flatMap(({ pipe, entries }) =>
    entries.flatMap((entry) => {
      if (isStored(entry)) return []
      const { timing: _, id: trigger, ...request } = entry
      const launched = launcher.launch({ pipe, startedBy: 'api', trigger, ...request })
      return 'run' in launched ? [launched.run] : []
    }),
  )
}

/** Whether the changes contain only launches, which leave stored triggers unchanged. */
export function isLaunchOnly(changes: readonly TriggerChange[]): boolean {
  const entries = changes.flatMap((change) => change.entries)
  return entries.length > 0 && !entries.some(isStored)
}

/** Entries to store, without launches. */
export const triggersToStore = ({ entries }: TriggerChange): readonly Trigger[] =>
  entries.filter(isStored)

/** Restores masked secrets in the entries of a pipe and checks their configs. Throws `invalid-parameter`. */
function changeOf(
  { triggers }: SchedulerContext,
  pipe: Pipe,
  entries: readonly TriggerEntry[],
): TriggerChange {
  const { name } = pipe.header
  const stored = triggers.of(name)
  const restored = entries.map((entry): TriggerEntry => {
    if (!entry.configs) return entry
    const trigger = stored.find(({ id }) => id === entry.id)
    const configs = restoreSecrets(entry.configs, trigger?.configs)
    if (containsMask(configs)) {
      const detail = `a config of ${shown(entry.id)} holds ••• instead of a secret: send the secret itself, or {"secret":"name"}`
      throw invalidParameter('configs', detail)
    }
    withConfigs(pipe, configs)
    return { ...entry, configs }
  })
  return { pipe: name, entries: restored }
}

/** Stored triggers of a missing pipe, if the entries equal them; so the complete list of triggers can be read and sent back. */
function unchangedTriggers(
  { triggers }: SchedulerContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange | undefined {
  const stored = triggers.of(pipe)
  const isSame =
    stored.length > 0 && isDeepStrictEqual(entries.map(requestForm), stored.map(requestForm))
  return isSame ? { pipe, entries: stored } : undefined
}

/** A trigger in the form of the API, without its firings. */
function requestForm(entry: TriggerEntry) {
  if (!isStored(entry)) return undefined
  const { id, status, timing, configs, startMode } = entry
  return triggerAnswer({
    id,
    status,
    timing,
    configs,
    startMode,
    pipe: '',
    since: 0,
  })
}

/** Whether the entry is stored; an entry without a time is launched instead. */
const isStored = (entry: TriggerEntry): entry is Trigger => entry.timing !== 'immediate'
