/** The licence of a feed's dataset: an address in it, a known name, or words about rights. */
import type { Authorities } from '../../../../vocabularies/authorities.ts'
import { licenceOf, type LicenceNames } from '../../../../vocabularies/licences.ts'
import { textFromHtml } from '../../../../vocabularies/html-text.ts'
import { fieldsOf, listOf, saidText } from '../../../../vocabularies/loose-values.ts'
import { plain } from './terms.ts'

export type LicenceTold = {
  readonly licences: readonly LicenceNames[]
  /** What is no licence all the same may be of interest. */
  readonly rights: string | undefined
}

/** Never a licence that is not there: text without an address is one only when its name is known. */
export function licenceIn(value: unknown, authorities: Authorities): LicenceTold {
  const texts = listOf(value)
    .map(
      (one) =>
        plain(one) ?? saidText(fieldsOf(one)['dct:title']) ?? saidText(fieldsOf(one)['rdfs:label']),
    )
    .filter((text) => text !== undefined)
  const licences: LicenceNames[] = []
  const rights: string[] = []
  for (const text of texts) {
    if (licenceOf({ title: text }, authorities)?.kind === 'iri') licences.push({ title: text })
    else rights.push(saidText(textFromHtml(text)) ?? '')
  }
  const words = rights.filter((one) => one !== '').join('\n')
  return { licences, rights: words === '' ? undefined : words }
}
