/** RDF importer: the contract of all importers, for each way in which RDF comes in pages. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { rdfImporter } from '../../../../src/harvest/importers/rdf.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { rdfPortal, type RdfPortalOptions } from '../../../support/portals/rdf-portal.ts'

const spellings: readonly RdfPortalOptions[] = [
  { paging: 'next' },
  { paging: 'nextPage', format: 'rdfxml' },
  { paging: 'both-literal', format: 'jsonld' },
]

for (const options of spellings)
  describeImporter(`RDF, ${options.paging} in ${options.format ?? 'turtle'}`, async () => {
    const portal = await rdfPortal([], options)
    return {
      portal,
      kind: (deps) => importerSegment(rdfImporter, deps),
      config: { address: portal.address },
      show: (records) => portal.show(records),
      declare: (total) => portal.declare(total),
      isPage: (request, page) =>
        Number(new URL(request.url).searchParams.get('page') ?? 1) === page,
    }
  })
