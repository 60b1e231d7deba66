/** Starts each triplestore once for the whole run, or says what is missing; ends them at the end. */

import type { TestProject } from 'vitest/node'
import { Missing, type Engine, type EngineConfig } from '../support/engines/engine.ts'
import { startFuseki } from '../support/engines/fuseki.ts'
import { startVirtuoso } from '../support/engines/virtuoso.ts'

/** A server that all suites share, or the reason why there is none. */
export type Server =
  | { readonly config: EngineConfig; readonly own: boolean }
  | { readonly missing: string }

declare module 'vitest' {
  export interface ProvidedContext {
    fuseki: Server
    virtuoso: Server
  }
}

const say = (text: string) => process.stderr.write(`${text}\n`)
const running: Engine[] = []

/** In CI every engine must be there: a suite that skips itself proves nothing. */
async function serverOf(name: string, start: () => Promise<Engine>): Promise<Server> {
  try {
    const engine = await start()
    running.push(engine)
    say(`${name}: ${engine.config.queryEndpoint}`)
    return { config: engine.config, own: engine.killable }
  } catch (error) {
    if (!(error instanceof Missing) || process.env['CI']) throw error
    say(`${name}: SKIPPED. ${error.message}`)
    return { missing: error.message }
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('fuseki', await serverOf('Fuseki', startFuseki))
  project.provide('virtuoso', await serverOf('Virtuoso', startVirtuoso))
}

export async function teardown(): Promise<void> {
  for (const engine of running) await engine.stop()
}
