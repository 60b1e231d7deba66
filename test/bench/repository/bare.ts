/** Starts the bare gateway as a process of its own. */

import { spawn } from 'node:child_process'
import type { EngineConfig } from '../../support/engines/engine.ts'

const entry = new URL('./bare-gateway.ts', import.meta.url).pathname

/** `{url}/{graph}` is that graph of the store. */
export type BareGateway = { readonly url: string; readonly stop: () => void }

export async function bareGateway(config: EngineConfig): Promise<BareGateway> {
  const child = spawn(process.execPath, [entry, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('exit', (code) => reject(new Error(`the bare gateway ended with ${code}`)))
  })
  return { url, stop: () => void child.kill() }
}
