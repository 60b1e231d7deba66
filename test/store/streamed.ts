/** A large graph whose every line carries a version, for the kill test of streams. */

export const streamedGraph = 'urn:test:streamed'
export const streamedLines = 12_000

export const streamed = (version: number): string =>
  Array.from({ length: streamedLines }, (_, at) => {
    const name = String(at).padStart(9, '0')
    return `<urn:test:${name}> <urn:test:p> "version ${version} ${'x'.repeat(80)}" .\n`
  }).join('')

export const streamedFact = (version: number): string =>
  `<urn:test:fact:${version}> <urn:test:is> "landed" .`
