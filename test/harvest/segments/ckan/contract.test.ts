/** CKAN importer: the contract of all importers. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { ckanImporter } from '../../../../src/harvest/importers/ckan.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { ckanPortal } from '../../../support/portals/ckan-portal.ts'

describeImporter('CKAN', async () => {
  const portal = await ckanPortal()
  return {
    portal,
    kind: (deps) => importerSegment(ckanImporter, deps),
    config: { address: portal.address, pageSize: 2 },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(total),
    isPage: ({ url }, page) =>
      Number(new URL(url).searchParams.get('start') ?? Number.NaN) ===
      Math.max(0, (page - 1) * 2 - 1),
    envelopes: [
      { kind: 'envelope' },
      { kind: 'envelope', body: '{"success":false,"error":"Solr is down"}' },
      { kind: 'envelope', body: '{"success":true}' },
      { kind: 'envelope', body: 'Bad request - Action name not known', contentType: 'text/plain' },
    ],
  }
})
