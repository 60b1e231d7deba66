/** The licences that a portal knows: title and address for the ids that its records name. */
import { Failure } from '../../errors.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf } from '../../vocabularies/loose-values.ts'

export type LicenceList = {
  readonly find: (id: string) => LicenceNames | undefined
  /** Asks for the list once, when a record of the page needs it. */
  readonly learn: (records: readonly unknown[]) => Promise<void>
}

/**
 * `needs`: whether a record names a licence and does not say enough of it. `ask` gives the list, or whatever the portal answers in
 * its place: the list is a convenience, and a portal that does not give it is harvested without.
 */
export function licenceList(
  needs: (record: unknown) => boolean,
  ask: () => Promise<unknown>,
): LicenceList {
  let known: ReadonlyMap<string, LicenceNames> | undefined
  return {
    find: (id) => known?.get(id),
    learn: async (records) => {
      if (!known && records.some(needs)) known = await listed(ask)
    },
  }
}

async function listed(ask: () => Promise<unknown>): Promise<ReadonlyMap<string, LicenceNames>> {
  try {
    const all = listOf(await ask()).map(fieldsOf)
    return new Map(
      all.flatMap(({ id, url, title }) =>
        typeof id === 'string' ? [[id, { id, url, title }]] : [],
      ),
    )
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
