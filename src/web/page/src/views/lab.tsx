export function Lab() {
  return <h1>Lab</h1>;
}
