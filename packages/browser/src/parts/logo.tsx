/** A float plane on water, in the colours of the theme. */
export function Logo() {
  return (
    <svg class="logo" width="28" height="28" viewBox="0 0 64 64" aria-hidden="true">
      <path class="logo-plane" d="M8 24.5 20 24l10-11h6l-5 11 14 .5c4.5 0 9 1.7 9 4s-4.5 4-9 4H18c-4 0-7-3-10-8z" />
      <path class="logo-plane" d="M6 16h4l6 8-7 .8z" />
      <path class="logo-float" d="M24 33l-3 7m19-7l3 7M14 41h34c3 0 5-1.5 6-3" />
      <path class="logo-water" d="M6 51c4.3-3.5 8.7-3.5 13 0s8.7 3.5 13 0 8.7-3.5 13 0 8.7 3.5 13 0" />
    </svg>
  );
}
