/** Socrata importer: the contract of all importers. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { socrataImporterWith } from '../../../../src/harvest/importers/socrata.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { socrataPortal } from '../../../support/portals/socrata-portal.ts'

describeImporter('Socrata', async () => {
  const portal = await socrataPortal([])
  const pages: string[] = []
  return {
    portal,
    kind: (deps) => importerSegment(socrataImporterWith([]), deps),
    config: { address: portal.url, only: 'dataset', pageSize: 2 },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(() => total(1)),
    // Pages are known by the order in which they are asked for first; what asks for one result asks for the count.
    isPage: ({ url }, page) => {
      if (new URL(url).searchParams.get('limit') !== '2') return false
      if (!pages.includes(url)) pages.push(url)
      return pages.indexOf(url) === page - 1
    },
    keyed: true,
    envelopes: [
      { kind: 'envelope', body: '{"error":"Invalid search"}' },
      { kind: 'envelope', body: '{"code":"x","error":true,"message":"Search is down"}' },
    ],
  }
})
