/** DKAN importer: the contract of all importers, for both versions of the software. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { dkanImporter } from '../../../../src/harvest/importers/dkan.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { dkanPortal } from '../../../support/portals/dkan-portal.ts'

describeImporter('DKAN 2', async () => {
  const portal = await dkanPortal()
  return {
    portal,
    kind: (deps) => importerSegment(dkanImporter, deps),
    config: { address: portal.address, pageSize: 2, version: '2' },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(total),
    isPage: ({ url }, page) => new URL(url).searchParams.get('page') === String(page),
    envelopes: [{ kind: 'envelope', body: '{"message":"Exception"}' }, { kind: 'envelope' }],
  }
})

describeImporter('DKAN 1', async () => {
  const portal = await dkanPortal([], { version: 1, nested: true })
  return {
    portal,
    kind: (deps) => importerSegment(dkanImporter, deps),
    config: { address: portal.address, pageSize: 2, version: 1 },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(total),
    isPage: ({ url }, page) =>
      new URL(url).searchParams.get('offset') === String(Math.max(0, page * 2 - 3)),
    envelopes: [{ kind: 'envelope' }, { kind: 'envelope', body: '{"success":false}' }],
  }
})
