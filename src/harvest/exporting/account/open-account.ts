/** Opens the account of a run: the catalogue must be there, and what it holds is read once. */

import { Failure } from '../../../errors.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { presentIds } from '../door/present.ts'
import { Account, type AccountOptions } from './account.ts'

/** Throws `unknown-catalogue`, `conflict` when the run is being exported already, and what `presentIds` throws. */
export async function openAccount(options: AccountOptions, signal: AbortSignal): Promise<Account> {
  const { ground, context, catalogue, door } = options
  if (ground.accounts.has(context.runId))
    throw new Failure('conflict', 'A pipe has one exporter into a catalogue.')
  const account = new Account(options)
  ground.accounts.set(context.runId, account)
  try {
    await demandCatalogue(options, signal)
    for await (const ids of presentIds(door, catalogue, signal)) {
      account.hold(ids)
      context.sink.alive()
    }
    account.goOn()
    notePlace(options)
    await ground.changed()
    return account
  } catch (error) {
    account.close()
    throw error
  }
}

async function demandCatalogue(
  { ground, catalogue, door }: AccountOptions,
  signal: AbortSignal,
): Promise<void> {
  const { status } = await door.ask({ method: 'HEAD', path: `/catalogues/${catalogue}` }, signal)
  if (status === 200) return
  if (status !== 404 && status !== 410)
    throw new Failure('export-failed', `The catalogue ${catalogue} answered ${status}.`)
  if (door.isOwn) disown(ground.ledger, catalogue)
  throw new Failure(
    'unknown-catalogue',
    `There is no catalogue ${catalogue}; a harvest makes none.`,
  )
}

/** What belonged to pipes in a catalogue that is gone belongs to nobody. */
const disown = (ledger: Ledger, catalogue: string): void =>
  ledger.transaction(() => {
    ledger.likenesses.dropCatalogue(catalogue)
    ledger.records.dropCatalogue(catalogue)
    ledger.pipes.forgetSources(catalogue)
  })

/** So that it is not taken for deleted while its file cannot be read. */
function notePlace({ ground, context }: AccountOptions): void {
  const known = ground.sources().find(context.pipe)
  if (known && !context.dryRun) ground.ledger.pipes.putPlace(context.pipe, known)
}
