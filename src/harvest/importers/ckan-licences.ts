/** The licences that a portal knows: title and address for the ids of its packages. */
import { Failure } from '../../errors.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import type { Source } from './source.ts'
import { action } from './ckan-api.ts'

type Licences = {
  readonly find: (id: string) => LicenceNames | undefined
  /** Asks for the list once, when a package names a licence and does not say where it is. */
  readonly learn: (packages: readonly unknown[]) => Promise<void>
}

/** The list is a convenience: a portal that does not give it is harvested without. */
export function licencesOf(source: Source, root: string): Licences {
  let known: ReadonlyMap<string, LicenceNames> | undefined
  return {
    find: (id) => known?.get(id),
    learn: async (packages) => {
      if (!known && packages.some(isUnclear)) known = await listed(source, root)
    },
  }
}

function isUnclear(value: unknown): boolean {
  const { license_id: id, license_url: url, license_title: title } = fieldsOf(value)
  return (
    plainText(id) !== undefined && plainText(url) === undefined && plainText(title) === undefined
  )
}

async function listed(source: Source, root: string): Promise<ReadonlyMap<string, LicenceNames>> {
  try {
    const accepts = [400, 403, 404, 405, 409]
    const answer = await action(source, { root, name: 'license_list' }, { accepts, paged: false })
    const all = answer.ok ? listOf(answer.result).map(fieldsOf) : []
    return new Map(
      all.flatMap(({ id, url, title }) => (typeof id === 'string' ? [[id, { url, title }]] : [])),
    )
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
