/** One visit by telnet: the key, then commands until the client leaves. */

import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import type { Log } from '../../log.ts'
import { consolePermission } from '../console-app.ts'
import { WrongCommand } from '../command.ts'
import type { Execution } from '../execution.ts'
import type { Table } from '../command-table.ts'
import type { Peer } from './telnet-client.ts'

export type SessionDeps = {
  readonly table: Table
  readonly execution: Execution
  readonly keys: Pick<ApiKeys, 'check'>
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Milliseconds until the key must be there. */
  readonly keyMs: number
}

const tries = 3
const prompt = '> '

/** Resolves when the visit is over. */
export async function visit(peer: Peer, deps: SessionDeps): Promise<void> {
  const key = await entered(peer, deps)
  if (key === undefined) return peer.close()
  let running: AbortController | undefined
  peer.onInterrupt(() => {
    if (running) running.abort()
    else void peer.write(`^C\n${prompt}`)
  })
  for (;;) {
    await peer.write(prompt)
    const line = await peer.line()
    if (line === undefined) return peer.close()
    running = new AbortController()
    const signal = AbortSignal.any([running.signal, peer.gone])
    peer.busy(true)
    const leaves = await obeyed(line, { peer, deps, key, signal })
    peer.busy(false)
    running = undefined
    if (leaves) return peer.close()
  }
}

/** The id of a key that may enter; undefined after three wrong ones, or when the client left or took too long. */
async function entered(peer: Peer, deps: SessionDeps): Promise<string | undefined> {
  const here = new AbortController()
  peer.onInterrupt(() => peer.close())
  void closeLate(peer, deps, here.signal)
  peer.echo(false)
  try {
    for (let tried = 0; tried < tries; tried++) {
      await peer.write('key: ')
      const shown = await peer.line()
      if (shown === undefined) return undefined
      const key = admitted(shown.trim(), peer, deps)
      await peer.write(`\n${key === undefined ? 'this key does not open the console\n' : ''}`)
      if (key !== undefined) return key
    }
    return undefined
  } finally {
    here.abort()
    peer.echo(true)
  }
}

/** A client without a key must not hold its place for ever. */
async function closeLate(
  peer: Peer,
  { pause, keyMs }: SessionDeps,
  here: AbortSignal,
): Promise<void> {
  await pause(keyMs, AbortSignal.any([peer.gone, here])).catch(() => undefined)
  if (!here.aborted) peer.close('\nno key was shown in time\n')
}

function admitted(
  shown: string,
  { address }: Peer,
  { keys, log }: SessionDeps,
): string | undefined {
  try {
    const key = keys.check(shown, address)
    if (may(key, consolePermission)) return key.id
    log.warn({ address, key: key.id }, 'console.refused')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log.warn({ address }, 'console.refused')
  }
  return undefined
}

type Ground = {
  readonly peer: Peer
  readonly deps: SessionDeps
  readonly key: string
  readonly signal: AbortSignal
}

/** Whether the client wants to leave. */
async function obeyed(line: string, { peer, deps, key, signal }: Ground): Promise<boolean> {
  if (line.trim() === '') return false
  try {
    const order = deps.table.order(line)
    const pieces = deps.execution.run(order, { key, door: 'telnet', signal })
    for await (const piece of pieces) await peer.write(piece)
    if (signal.aborted) await peer.write(order.command.lasts ? '^C (it goes on)\n' : '^C\n')
    return order.command.name === 'exit'
  } catch (error) {
    if (!(error instanceof WrongCommand || error instanceof Failure)) throw error
    await peer.write(`${error instanceof Failure ? error.detail : error.message}\n`)
    return false
  }
}
