/** The whole contract of a store behind a wire, in the numbers of the conformance list. */

import { exactContract } from './graph-store-exact.ts'
import { faultContract, type Killable } from './graph-store-faults.ts'
import { publicContract } from './graph-store-public.ts'
import { queryContract, type OpenLimited } from './graph-store-queries.ts'
import { valueContract } from './graph-store-values.ts'
import { streamContract } from './graph-store-streams.ts'
import { writingContract, type Known } from './graph-store.ts'

type Dialect = {
  /** Opens the server that the cases share. */
  readonly open: OpenLimited
  /** A new and empty server; without it the cases that kill one are left out. */
  readonly start?: (() => Promise<Killable>) | undefined
  /** A server that asks for the credentials of its configuration. */
  readonly guarded?: () => Promise<Killable>
  readonly known?: Known
}

export function storeContract(name: string, dialect: Dialect): void {
  const { open, start, guarded, known = {} } = dialect
  writingContract(name, open, known)
  streamContract(name, open, known)
  valueContract(name, open, known)
  if (known.share === undefined) exactContract(name, open)
  queryContract(name, open)
  publicContract(name, open, known)
  if (start) faultContract(name, start, guarded)
}
