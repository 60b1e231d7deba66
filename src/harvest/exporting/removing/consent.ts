/** What operators do about removals: consent to those that were held, and take back those that were made. */

import { Failure, shown } from '../../../errors.ts'
import type { Run } from '../../../pipe/runs/run.ts'
import { jsonIn, reasonOf } from '../../importing/sending/repository.ts'
import type { RecordRow } from '../../ledger/record-rows.ts'
import type { Removed } from '../../ledger/removals.ts'
import type { Ground } from '../account/ground.ts'
import { travelOf } from '../account/travel.ts'
import { doorTo } from '../door/choice.ts'
import type { Door } from '../door/door.ts'
import { patientDoor } from '../door/patience.ts'
import { exportConfig } from '../settings.ts'
import { removeAll } from './remove.ts'

/** What became of records that were to come back. */
export type Restored = {
  readonly restored: number
  /** Platform ids that could not be restored, and why. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Removes exactly what the run held back. Throws `unknown-run`; `conflict` when nothing waits for consent, a later run of
 * the pipe was complete, or the pipe is under way; `export-failed` when not everything could be removed.
 */
export async function confirmed(ground: Ground, runId: string, signal: AbortSignal): Promise<void> {
  const { ledger, log } = ground
  const run = knownRun(ground, runId)
  checkLatest(ground, run)
  checkIdle(ground, run.pipe)
  const rows = ledger.removals
    .held(runId)
    .flatMap((serial) => ledger.records.bySerial(serial) ?? [])
  const [first] = rows
  if (!first) throw new Failure('conflict', 'Nothing of the run waits for consent.')
  const { catalogue } = run
  if (catalogue === undefined) throw new Failure('conflict', 'The run has no catalogue.')
  const door = doorOf(ground, runId)
  const owner = { catalogue, pipe: run.pipe }
  let [done, failed] = [0, 0]
  const told = (_: RecordRow, problem: Failure | undefined) => {
    if (problem) failed += 1
    else done += 1
  }
  try {
    await removeAll({ ground, door, owner, run: runId, log, told }, rows, signal)
    ledger.age.trust(run.pipe)
  } finally {
    await ground.changed()
    ground.runs.note(runId, { action: 'confirm', done, failed })
  }
  log.info({ run: runId, pipe: run.pipe, removed: done, failed }, 'run.confirmed')
  if (failed > 0)
    throw new Failure('export-failed', `${failed} of ${rows.length} records could not be removed.`)
}

/** Of a run everything that it removed, else the dataset with this platform id. Throws `unknown-dataset`. */
export async function restored(
  ground: Ground,
  what: string,
  signal: AbortSignal,
): Promise<Restored> {
  const { removals } = ground.ledger
  const ofRun = removals.ofRun(what)
  const alone = ofRun.length > 0 ? undefined : removals.ofPlatformId(what)
  const wanted = alone ? [alone] : ofRun
  const [first] = wanted
  if (!first) {
    const detail = `no harvest has removed anything that is called ${shown(what)}, or it is too long ago`
    throw new Failure(ground.runs.get(what) ? 'conflict' : 'unknown-dataset', detail)
  }
  // What is asked for is all of one run's, or a single record.
  const { run } = first
  const door = doorOf(ground, run)
  const failed: { id: string; reason: string }[] = []
  let done = 0
  try {
    for (const removed of wanted) {
      const reason = await restoreOne(ground, door, removed, signal)
      if (reason === undefined) done += 1
      else failed.push({ id: removed.platformId, reason })
    }
  } finally {
    await ground.changed()
    ground.runs.note(run, { action: 'restore', done, failed: failed.length })
  }
  return { restored: done, failed }
}

/** Hands the records of one pipe to another. Throws `conflict` while either is under way. */
export function adopted(ground: Ground, pipe: string, from: string): number {
  if (pipe === from) throw new Failure('conflict', 'A pipe has its own records already.')
  checkIdle(ground, pipe)
  checkIdle(ground, from)
  const handed = ground.ledger.records.hand(pipe, from)
  void ground.changed()
  return handed
}

/** The reason why it did not come back. */
async function restoreOne(
  { ledger, now }: Ground,
  door: Door,
  removed: Removed,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/datasets/${removed.platformId}/restore`
  const headers = { Prefer: 'respond-async' }
  const answer = await door.ask({ method: 'POST', path, headers }, signal)
  const text = await answer.text()
  if (answer.status !== 201) return reasonOf(answer.status, jsonIn(text))
  ledger.removals.returned(removed, now())
  return undefined
}

function knownRun({ runs }: Ground, runId: string): Run {
  const run = runs.get(runId)
  if (!run) throw new Failure('unknown-run', `there is no run ${shown(runId)}`)
  return run
}

/** A later complete run has looked again: its list counts. */
function checkLatest({ ledger }: Ground, { id, pipe, startTime = '' }: Run): void {
  const last = ledger.pipes.of(pipe)
  if (last && last.run !== id && last.time >= Date.parse(startTime))
    throw new Failure('conflict', 'A later run of the pipe was complete: consent to that one.')
}

function checkIdle({ accounts }: Ground, pipe: string): void {
  for (const { owner } of accounts.values())
    if (owner.pipe === pipe) throw new Failure('conflict', `The pipe ${pipe} is under way.`)
}

/** The repository that the run wrote to, as its pipe says now. */
function doorOf(ground: Ground, runId: string): Door {
  const exporter = travelOf(ground, runId)?.exporter
  const read = exportConfig.safeParse(exporter?.config ?? {})
  const door = read.success
    ? doorTo(ground, read.data.hub, exporter?.place ?? { trust: 'foreign' })
    : undefined
  if (!door || 'key' in door)
    throw new Failure('conflict', 'The pipe of the run does not say any more where it writes to.')
  return patientDoor(door, ground)
}
