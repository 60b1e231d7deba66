/** SPARQL importer: the contract of all importers. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { sparqlImporter } from '../../../../src/harvest/importers/sparql.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { sparqlPortal } from '../../../support/portals/sparql-portal.ts'

describeImporter('SPARQL', async () => {
  const portal = await sparqlPortal([])
  const pages: string[] = []
  return {
    portal,
    kind: (deps) => importerSegment(sparqlImporter, deps),
    config: { address: portal.address, pageSize: 2, method: 'get' },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(() => total(1)),
    // Pages are known by the order in which their lists are asked for first.
    isPage: ({ url }, page) => {
      if (!url.includes('ORDER')) return false
      if (!pages.includes(url)) pages.push(url)
      return pages.indexOf(url) === page - 1
    },
    keyed: true,
    envelopes: [
      { kind: 'envelope', body: '{"error":"query failed"}' },
      { kind: 'envelope', body: 'Virtuoso 42000 Error', contentType: 'text/plain' },
    ],
  }
})
