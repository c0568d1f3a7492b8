/** The logo: a float plane on water. A style sheet may colour the classes; otherwise the colours are fixed. */
export const PLANE = `
<path class="plane" fill="#0e7c86" d="M8 24.5 20 24l10-11h6l-5 11 14 .5c4.5 0 9 1.7 9 4s-4.5 4-9 4H18c-4 0-7-3-10-8z"/>
<path class="plane" fill="#0e7c86" d="M6 16h4l6 8-7 .8z"/>
<path class="float" fill="none" stroke="#0e7c86" stroke-width="2.5" stroke-linecap="round" d="M24 33l-3 7m19-7l3 7M14 41h34c3 0 5-1.5 6-3"/>
<path class="water" fill="none" stroke="#58a6c9" stroke-width="3" stroke-linecap="round" d="M6 51c4.3-3.5 8.7-3.5 13 0s8.7 3.5 13 0 8.7-3.5 13 0 8.7 3.5 13 0"/>`;

/** The logo as an icon that a page can name in a `data:` URL. */
export const PLANE_ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${PLANE}</svg>`,
)}`;
