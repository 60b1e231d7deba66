/** The stores that a bench can be told to use. */

import type { Engine } from '../support/engines/engine.ts'
import { ownFuseki } from '../support/engines/fuseki.ts'
import { ownVirtuoso } from '../support/engines/virtuoso.ts'

const storeNames = ['embedded', 'fuseki', 'virtuoso'] as const
export type StoreName = (typeof storeNames)[number]

/** Throws for what is none. */
export function storeNamed(wanted: string): StoreName {
  const store = storeNames.find((name) => name === wanted)
  if (!store) throw new Error(`--store is one of ${storeNames.join(', ')}`)
  return store
}

/** A server of its own; nothing for the embedded store. */
export async function engineOf(store: StoreName): Promise<Engine | undefined> {
  if (store === 'embedded') return undefined
  return store === 'fuseki' ? ownFuseki() : ownVirtuoso()
}

/** What a platform has to be told to run on it. */
export const environmentOf = (engine: Engine | undefined): Readonly<Record<string, string>> =>
  engine ? { PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(engine.config) } : {}
