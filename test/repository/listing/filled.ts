/** A repository with something to list: two catalogues, six datasets, a vocabulary. */

import { base, prefixes, repository } from '../../support/repository.ts'

/** Address of the service, as the configuration says it. */
export const service = `${base}api/hub/repo`

/** The datasets of the catalogue that most lists are about; put out of order, and in mixed case. */
export const members = '/catalogues/water/datasets'
const letters = ['e', 'a', 'D', 'c', 'B']

export const dataset = (name: string) =>
  `${prefixes}<> a dcat:Dataset ; dct:title "${name}" ; dct:publisher [ foaf:name "P" ] ;
   dcat:distribution [ a dcat:Distribution ; dct:identifier "z-${name}" ] , [ a dcat:Distribution ; dct:identifier "y-${name}" ] .`

export async function filledRepository() {
  const repo = await repository()
  await repo.putCatalogue('water', `${prefixes}<> a dcat:Catalog ; dct:title "Water" .`)
  await repo.putCatalogue('air')
  for (const letter of letters) await repo.putDataset('water', `id ${letter}`, dataset(letter))
  await repo.putDataset('air', 'wind', dataset('wind'))
  await repo.ask('/vocabularies/colours', {
    method: 'PUT',
    type: 'text/turtle',
    body: `${prefixes}<https://example.org/colours> a skos:ConceptScheme .`,
  })
  return repo
}
