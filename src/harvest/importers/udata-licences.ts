/** The licences that a uData portal knows: title and address for the ids of its datasets. */
import { Failure } from '../../errors.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import type { Source } from './source.ts'

type Licences = {
  readonly find: (id: string) => LicenceNames | undefined
  /** Asks for the list once, when a dataset names a licence. */
  readonly learn: (datasets: readonly unknown[]) => Promise<void>
}

/** The list is a convenience: a portal that does not give it is harvested without. */
export function licencesOf(source: Source, root: string): Licences {
  let known: ReadonlyMap<string, LicenceNames> | undefined
  return {
    find: (id) => known?.get(id),
    learn: async (datasets) => {
      const isNamed = datasets.some((one) => plainText(fieldsOf(one)['license']) !== undefined)
      if (!known && isNamed) known = await listed(source, `${root}/api/1/datasets/licenses/`)
    },
  }
}

async function listed(source: Source, url: string): Promise<ReadonlyMap<string, LicenceNames>> {
  try {
    const { value, status } = await source.json(url, { accepts: [400, 404, 405], paged: false })
    const all = status < 400 ? listOf(value).map(fieldsOf) : []
    return new Map(
      all.flatMap(({ id, url: place, title }) =>
        typeof id === 'string' ? [[id, { id, url: place, title }]] : [],
      ),
    )
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
