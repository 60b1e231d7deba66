/** The drill on stores of their own, which are copied by their own means right after the backup of the data directory. */

import { describe } from 'vitest'
import { drill } from '../journeys/backups/drill.ts'
import { copied } from './copies.ts'
import { fresh, isKillable, settingsFor, type StoreName } from './stores.ts'

const onCopied = (name: StoreName) => async () => {
  const engine = await fresh(name)
  return {
    env: settingsFor(engine.config),
    end: engine.stop,
    copied: async () => {
      const copy = await copied[name](engine)
      return { env: settingsFor(copy.config), end: copy.stop }
    },
  }
}

// A server that somebody else runs cannot be copied here.
describe.skipIf(!isKillable('fuseki'))('Fuseki', () => {
  drill('Fuseki', 'backup', onCopied('fuseki'))
})
describe.skipIf(!isKillable('virtuoso'))('Virtuoso', () => {
  drill('Virtuoso', 'backup.tar.zst', onCopied('virtuoso'))
})
