/** The quality pages in Chromium, in every language on narrow screens and on paper. */

import { qualityPaths, qualityPrint } from './quality-print.ts'

qualityPrint({
  screens: [
    ['light', 1100, 'en'],
    ['light', 390, 'en'],
    ['light', 390, 'de'],
    ['light', 390, 'fr'],
    ['light', 390, 'it'],
    ['dark', 1100, 'en'],
  ],
  printed: [
    ...qualityPaths,
    ...['de', 'fr', 'it'].map((language) => `${language}/quality/catalogues/city`),
  ],
})
